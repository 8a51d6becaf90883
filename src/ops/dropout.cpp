#include "ops/dropout.h"

#include "autograd/autograd.h"
#include "ops/dropout_kernel.h"

namespace jogak {

static Tensor dropped(const DropRule& rule, const Tensor& in) {
  const Tensor x = dense(in), y = empty_like(x);
  launch(x.device(), DropoutArgs{x.dtype(), rule, x.raw(), y.raw(), x.count()});
  return y;
}

Tensor dropout(const Tensor& x, double rate, uint64_t seed, uint64_t stream) {
  ensure<UsageError>(rate >= 0 && rate < 1, "dropout: found rate ", rate,
                     ", wanted at least 0 and less than 1");
  ensure<ShapeError>(is_float(x.dtype()), "dropout: found dtype ", x.dtype(),
                     ", wanted a float type");
  if (rate == 0) return x;
  const DropRule rule = drop_rule(rate, seed, stream);
  return record("dropout", dropped(rule, x), {x},
                [rule](const Tensor& dy) { return Grads{dropped(rule, dy)}; });
}

}  // namespace jogak
