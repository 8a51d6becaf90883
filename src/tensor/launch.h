// How a kernel gets to its device. A kernel is a struct of arguments (pointers into the device's
// memory, sizes, numbers) and a function `run` for every place it can run at:
//
//   void run(OnCpu, const SoftmaxArgs&);    softmax_cpu.cpp
//   void run(OnCuda, const SoftmaxArgs&);   softmax_cuda.cu
//
// Arguments travel by value: they may wait in a queue after the op has returned.
#pragma once

#include "tensor/device.h"

namespace jogak {

struct OnCpu {};
namespace cuda {
struct OnCuda {  // kernels for it, and what they share, are in this namespace
  Device& device;
};
}  // namespace cuda
using cuda::OnCuda;

#ifdef JOGAK_WITH_CUDA  // this folder and ops are told
inline constexpr bool kWithCuda = true;
#else
inline constexpr bool kWithCuda = false;
#endif

template <class Args>
void launch(Device& device, Args args) {
  switch (device.kind()) {
    case Device::Kind::cpu: return run(OnCpu{}, args);
    case Device::Kind::deferred:
      return device.enqueue([args = std::move(args)] { run(OnCpu{}, args); });
    case Device::Kind::cuda:
      if constexpr (kWithCuda) run(OnCuda{device}, args);
  }
}

}  // namespace jogak
