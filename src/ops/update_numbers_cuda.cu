#include "ops/grad_norm.h"
#include "ops/update_numbers_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

__global__ void update_scale_kernel(UpdateScaleArgs a, const volatile CudaFault* fault) {
  UpdateNumbers& n = *a.numbers;
  const double norm = sqrt(a.sums[1]) * n.share;
  n.scale = n.share * clip_factor(norm, n.limit);
  n.allowed = isfinite(a.sums[0]) && isfinite(norm) && fault->kind == CudaFault::none ? 1 : 0;
}

}  // namespace

void run(OnCuda on, const UpdateScaleArgs& a) {
  start(on, {.blocks = 1, .threads = 1}, update_scale_kernel, a, device_of(on).fault());
}

}  // namespace jogak::cuda
