#include "tensor/devices.h"

#include "tensor/launch.h"

namespace jogak {

CudaFound open_cuda(int64_t number);  // cuda_device.cu
SideStream open_side_stream(Device& device);

namespace {

int64_t preferred = 0;  // GPU

}  // namespace

void prefer_gpu(int64_t number) { preferred = number; }

const CudaFound& find_cuda() {
  static const CudaFound found = [] {
    if constexpr (kWithCuda)
      return open_cuda(preferred);
    else
      return CudaFound{.about = "this program was built without CUDA"};
  }();
  return found;
}

SideStream side_stream() {
  ensure<DeviceError>(find_cuda().device != nullptr, find_cuda().about);
  if constexpr (kWithCuda)
    return open_side_stream(*find_cuda().device);
  else
    return {};
}

}  // namespace jogak
