// An NVIDIA GPU: its memory through the caching allocator, one stream of work, and what kernels
// report. Built where nvcc is; `find_cuda` of devices.h is how the rest of the program gets here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "tensor/device.h"
#include "tensor/launch.h"

struct CUstream_st;  // the runtime's cudaStream_t points to it

namespace jogak {

// What a kernel found wrong in values that only the device sees. The host is told where it waits.
struct CudaFault {
  enum Kind : int { none, id, target, rows };
  int kind;
  int64_t value, place, limit, ignored;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number);
  ~CudaDevice() override;

  void enqueue(std::function<void()> kernel) override;  // refused: host kernels do not run here
  std::unique_ptr<Event> record_event() override;
  void synchronize() override;
  size_t free_memory() const override;
  void read(void* host, const std::byte* device, size_t bytes) override;
  void write(std::byte* device, const void* host, size_t bytes) override;
  std::unique_ptr<Arriving> read_later(const std::byte* device, size_t bytes) override;
  std::unique_ptr<Recorded> record(const std::function<void()>& work) override;

  CUstream_st* stream() const;  // where this thread's kernels go
  // Where this thread's work is being recorded: a copy of these bytes that lasts as long as the
  // record. Null elsewhere.
  std::byte* keep(const void* host, size_t bytes);
  int multiprocessors() const { return multiprocessors_; }
  size_t shared_memory() const { return static_cast<size_t>(shared_memory_); }  // of a block
  CudaFault* fault() const { return fault_on_device_; }
  uint64_t* later_streams() const { return later_streams_; }  // on the device; see Recorded::start

 private:
  struct Staging;
  struct Landing;
  class Arrival;
  void report_fault();
  void send(std::byte* device, const void* host, size_t bytes);

  int number_ = 0;  // of the machine's GPUs
  CUstream_st* stream_ = nullptr;
  int multiprocessors_ = 1, shared_memory_ = 0;
  CudaFault *fault_ = nullptr, *fault_on_device_ = nullptr;
  uint64_t* later_streams_ = nullptr;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Landing> landing_;
};

namespace cuda {

inline CudaDevice& device_of(OnCuda on) { return static_cast<CudaDevice&>(on.device); }

// Memory a kernel needs between its launches: given back at once, as the stream keeps the order.
class Workspace {
 public:
  Workspace(OnCuda on, size_t bytes)
      : allocator_(on.device.allocator()), block_(allocator_.allocate(bytes)) {}
  ~Workspace() { allocator_.release(block_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(block_);
  }

 private:
  CachingAllocator& allocator_;
  std::byte* block_;
};

}  // namespace cuda
}  // namespace jogak
