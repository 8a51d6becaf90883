// A device owns memory, a stream of work in order, and events on that stream. Ops hand kernels
// to the stream; only the caller of to_host() or synchronize() waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "tensor/allocator.h"

namespace jogak {

class Event {  // a place in a stream
 public:
  virtual ~Event() = default;
  virtual bool done() const = 0;
  virtual void wait() = 0;
  // What passed on the device since an earlier event of it; both must be done. 0: it has no clock.
  virtual double seconds_since(const Event& earlier) const;
};

// Bytes on their way to the host, as they were when they were asked for.
class Arriving {
 public:
  virtual ~Arriving() = default;
  // Waits for what was sent to the stream before them, and for nothing behind. They stay here.
  virtual std::span<const std::byte> wait() = 0;
};

// Work that a device keeps and starts as a whole: the same kernels on the same memory each time.
class Recorded {
 public:
  virtual ~Recorded() = default;
  // In the stream's order. Dropout draws from streams of random numbers so many later than those it
  // was recorded with.
  virtual void start(uint64_t later_streams = 0) = 0;
};

class HostNeeded : public DeviceError {  // thrown into work that waits, reads or writes on the way
 public:
  using DeviceError::DeviceError;
};

// While one lives, this thread's work is being recorded.
class RecordingHere {
 public:
  RecordingHere();
  ~RecordingHere();
  RecordingHere(const RecordingHere&) = delete;
  RecordingHere& operator=(const RecordingHere&) = delete;
};

// HostNeeded where this thread's work is being recorded: said before the host decides what it may
// decide otherwise another time.
void decided_by_host();

class Device {
 public:
  enum class Kind { cpu, cuda, deferred };  // deferred: host kernels run when waited for

  Device(Kind kind, std::string name, CachingAllocator::Source memory)
      : kind_(kind), name_(std::move(name)), allocator_(std::move(memory)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  CachingAllocator& allocator() { return allocator_; }

  virtual void enqueue(std::function<void()> kernel) = 0;  // a host kernel: in order, now or later
  virtual std::unique_ptr<Event> record_event() = 0;
  virtual void synchronize() = 0;
  // Bytes between this device and the host, in the stream's order. read() waits for them; what
  // write() was given may be overwritten once it returns, though it need not have arrived.
  virtual void read(void* host, const std::byte* device, size_t bytes) = 0;
  virtual void write(std::byte* device, const void* host, size_t bytes) = 0;
  // read() in two: asked for here, and waited for when more work is under way. Within work that is
  // recorded it is asked for at each start, and wait() is for the last of them.
  virtual std::unique_ptr<Arriving> read_later(const std::byte* device, size_t bytes);

  // Calls `work` once: what it sends to the stream is kept and not done. Memory that it takes is
  // set aside for as long as the record lives. Null where this device records nothing, or not this
  // (work that needs the host on its way, say): do it the usual way then.
  virtual std::unique_ptr<Recorded> record(const std::function<void()>& work);

  virtual size_t free_memory() const;  // that may still be asked for; the most there is: unknown

 private:
  Kind kind_;
  std::string name_;
  CachingAllocator allocator_;
};

Device& cpu_device();

}  // namespace jogak
