// A device owns memory, a stream of work in order, and events on that stream. Ops hand kernels
// to the stream; only the caller of to_host() or synchronize() waits.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tensor/allocator.h"

namespace jogak {

class Event {  // a place in a stream
 public:
  virtual ~Event() = default;
  virtual bool done() const = 0;
  virtual void wait() = 0;
};

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

 private:
  Kind kind_;
  std::string name_;
  CachingAllocator allocator_;
};

Device& cpu_device();

}  // namespace jogak
