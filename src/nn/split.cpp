#include "nn/split.h"

#include "autograd/autograd.h"

namespace jogak {

Tensor LayerSplit::sum(Tensor x) const {
  ensure<DeviceError>(x.dtype() == DType::f32 && !x.on_cuda(), "divided layers: found ", x.dtype(),
                      " on ", x.device().name(), ", wanted f32 on the CPU");
  const Tensor y = dense(x).detach();
  y.storage()->bump_version();
  add(y);
  return record_constant("divided_layer", y, {x});
}

}  // namespace jogak
