#include "ops/cast.h"

#include "autograd/autograd.h"
#include "ops/cast_kernel.h"

namespace jogak {

static bool is_short(DType dtype) { return is_float(dtype) && dtype != DType::f64; }

static Tensor converted(const Tensor& in, DType dtype) {
  if (!is_short(in.dtype()) || !is_short(dtype)) return cast(in, dtype);
  const Tensor x = dense(in), y = empty(x.shape(), dtype, x.device());
  launch(x.device(), CastArgs{x.dtype(), dtype, x.raw(), y.raw(), x.count()});
  return y;
}

Tensor to_dtype(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const Tensor y = converted(x, dtype);
  if (!is_float(dtype)) return record_constant("to_dtype", y, {x});
  return record("to_dtype", y, {x},
                [from = x.dtype()](const Tensor& dy) { return Grads{converted(dy, from)}; });
}

}  // namespace jogak
