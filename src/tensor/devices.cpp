#include "tensor/devices.h"

#include "tensor/launch.h"

namespace jogak {

CudaFound open_cuda();  // cuda_device.cu

const CudaFound& find_cuda() {
  static const CudaFound found = [] {
    if constexpr (kWithCuda)
      return open_cuda();
    else
      return CudaFound{.about = "this program was built without CUDA"};
  }();
  return found;
}

}  // namespace jogak
