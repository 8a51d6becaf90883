// What a thread sends to a GPU, kept as one CUDA graph instead of being done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/device.h"

struct CUstream_st;

namespace jogak {

class CudaRecording {
 public:
  // Begins: until it ends, kernels of this thread go to a stream of their own, so that other
  // threads go on with theirs.
  CudaRecording(Device& device, CUstream_st* runs_in, uint64_t* later_streams);
  ~CudaRecording();
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  static CudaRecording* here();  // of this thread; null: nothing is recorded

  void add(const std::function<void()>& work);
  CUstream_st* stream() const { return stream_; }
  std::byte* keep(size_t bytes);  // memory that nothing else is given while the graph lives
  std::unique_ptr<Recorded> finish();

 private:
  class Graph;
  struct Memory;
  Device& device_;
  CUstream_st* runs_in_;
  uint64_t* later_streams_;  // on the device
  CUstream_st* stream_ = nullptr;
  std::unique_ptr<Memory> memory_;
};

}  // namespace jogak
