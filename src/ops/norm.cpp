#include "ops/norm.h"

#include "ops/norm_kernel.h"

namespace jogak {
namespace {

void* raw_or_null(const Tensor& x) { return x.defined() ? x.raw() : nullptr; }
Tensor dense_or_none(const Tensor& x) { return x.defined() ? dense(x) : x; }

void check_feature(const char* op, const char* what, const Tensor& x, const Tensor& feature) {
  if (!feature.defined()) return;
  ensure<ShapeError>(feature.shape() == Shape{x.dim(-1)} && feature.dtype() == x.dtype(), op, ": ",
                     what, " is ", feature.dtype(), " ", feature.shape(), ", x ", x.dtype(), " ",
                     x.shape(), " wants ", x.dtype(), " ", Shape{x.dim(-1)});
}

void check(const NormSettings& s, const Tensor& x, const Tensor& residual, const Tensor& weight,
           const Tensor& bias) {
  ensure<ShapeError>(x.rank() >= 1, s.op, ": needs at least one axis, got shape ", x.shape());
  ensure<UsageError>(s.eps >= 0, s.op, ": eps is ", s.eps, ", wanted 0 or more");
  ensure_together(s.op, {&x, &residual, &weight, &bias});
  check_feature(s.op, "weight", x, weight);
  check_feature(s.op, "bias", x, bias);
  if (residual.defined())
    ensure<ShapeError>(residual.shape() == x.shape() && residual.dtype() == x.dtype(), s.op, ": x ",
                       x.dtype(), " ", x.shape(), " and residual ", residual.dtype(), " ",
                       residual.shape(), " differ");
}

}  // namespace

Normed normalise(const NormSettings& s, const Tensor& x_in, const Tensor& residual_in,
                 const Tensor& weight_in, const Tensor& bias_in) {
  check(s, x_in, residual_in, weight_in, bias_in);
  const Tensor x = dense(x_in), residual = dense_or_none(residual_in);
  const Tensor weight = dense_or_none(weight_in), bias = dense_or_none(bias_in);
  Normed out{.x = residual.defined() ? empty_like(x) : x, .y = empty_like(x), .stats = {}};
  if (needs_grad(x_in) || needs_grad(residual_in) || needs_grad(weight_in) || needs_grad(bias_in))
    out.stats = empty({s.centered ? 2 : 1, x.rows()}, sum_dtype(x.dtype()), x.device());
  const NormArgs a{.dtype = x.dtype(),
                   .centered = s.centered,
                   .x = x.raw(),
                   .residual = raw_or_null(residual),
                   .sum = out.x.raw(),
                   .weight = raw_or_null(weight),
                   .bias = raw_or_null(bias),
                   .y = out.y.raw(),
                   .stats = raw_or_null(out.stats),
                   .rows = x.rows(),
                   .cols = x.dim(-1),
                   .eps = s.eps};
  launch(x.device(), a);
  return out;
}

NormBack::NormBack(bool centered, const Normed& n, bool want_x, const Tensor& weight,
                   const Tensor& bias)
    : centered_(centered),
      want_x_(want_x),
      want_weight_(needs_grad(weight)),
      want_bias_(needs_grad(bias)),
      x_(n.x),
      stats_(n.stats),
      weight_(dense_or_none(weight)) {}

Grads NormBack::operator()(const Tensor& dy_in, const Tensor& also_in) const {
  const Tensor &x = x_.get(), &stats = stats_.get(), &weight = weight_.get();
  const Tensor dy = dense(dy_in), also = dense_or_none(also_in);
  const int64_t rows = x.rows(), cols = x.dim(-1);
  const auto feature = [&](bool wanted) {
    return wanted ? empty({cols}, x.dtype(), x.device()) : Tensor();
  };
  const Tensor dx = want_x_ ? empty_like(x) : Tensor();
  const Tensor dweight = feature(want_weight_), dbias = feature(want_bias_);
  Tensor partials;
  if (want_weight_ || want_bias_)
    partials = empty({2, norm_chunks(rows, cols), cols}, stats.dtype(), x.device());
  const NormBackwardArgs a{.dtype = x.dtype(),
                           .centered = centered_,
                           .x = x.raw(),
                           .weight = raw_or_null(weight),
                           .stats = stats.raw(),
                           .dy = dy.raw(),
                           .dsum = raw_or_null(also),
                           .dx = raw_or_null(dx),
                           .dweight = raw_or_null(dweight),
                           .dbias = raw_or_null(dbias),
                           .partials = raw_or_null(partials),
                           .rows = rows,
                           .cols = cols};
  launch(x.device(), a);
  return {dx, dweight, dbias};
}

}  // namespace jogak
