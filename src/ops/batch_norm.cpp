#include "ops/batch_norm.h"

#include "autograd/autograd.h"
#include "ops/batch_norm_kernel.h"

namespace jogak {
namespace {

void* raw_or_null(const Tensor& x) { return x.defined() ? x.raw() : nullptr; }
Tensor dense_or_none(const Tensor& x) { return x.defined() ? dense(x) : x; }

void check_feature(const char* what, const Tensor& x, const Tensor& feature, DType dtype) {
  ensure<ShapeError>(feature.shape() == Shape{x.dim(-1)} && feature.dtype() == dtype,
                     "batch_norm: ", what, " is ", feature.dtype(), " ", feature.shape(), ", x ",
                     x.dtype(), " ", x.shape(), " wants ", dtype, " ", Shape{x.dim(-1)});
}

void check(const Tensor& x, const Tensor& weight, const Tensor& bias, const BatchNormState& state,
           const BatchNormOptions& o) {
  ensure<ShapeError>(x.rank() >= 1, "batch_norm: needs at least one axis, got shape ", x.shape());
  ensure_together("batch_norm",
                  {&x, &weight, &bias, &state.running_mean, &state.running_var, &o.mask});
  ensure<UsageError>(o.eps >= 0, "batch_norm: eps is ", o.eps, ", wanted 0 or more");
  if (weight.defined()) check_feature("weight", x, weight, x.dtype());
  if (bias.defined()) check_feature("bias", x, bias, x.dtype());
  ensure<ShapeError>(state.running_mean.defined() == state.running_var.defined(),
                     "batch_norm: one of the running statistics is undefined");
  if (state.running_mean.defined()) {
    check_feature("running mean", x, state.running_mean, sum_dtype(x.dtype()));
    check_feature("running variance", x, state.running_var, sum_dtype(x.dtype()));
    ensure<ShapeError>(state.running_mean.is_dense() && state.running_var.is_dense(),
                       "batch_norm: wanted dense running statistics");
  }
  ensure<ShapeError>(o.training || state.running_mean.defined(),
                     "batch_norm: running statistics are wanted outside training");
  ensure<ShapeError>(!o.training || x.rows() >= 2,
                     "batch_norm: training wants at least 2 rows, got shape ", x.shape());
  if (o.mask.defined())
    ensure<ShapeError>(o.mask.shape() == x.shape().without(-1) && o.mask.dtype() == DType::boolean,
                       "batch_norm: mask ", o.mask.dtype(), " ", o.mask.shape(), ", wanted bool ",
                       x.shape().without(-1));
}

BatchNormInput arguments(const Tensor& x, const Tensor& mask, const Tensor& weight,
                         const Tensor& bias, const Tensor& stats) {
  return {.dtype = x.dtype(),
          .x = x.raw(),
          .mask = mask.defined() ? mask.data<bool>() : nullptr,
          .weight = raw_or_null(weight),
          .bias = raw_or_null(bias),
          .stats = stats.raw(),
          .rows = x.rows(),
          .cols = x.dim(-1)};
}

Tensor partials_for(const Tensor& x) {
  return empty({2, batch_norm_chunks(x.rows(), x.dim(-1)), x.dim(-1)}, sum_dtype(x.dtype()),
               x.device());
}

// From this batch, which the state then remembers.
void learn(const Tensor& x, const BatchNormInput& a, const BatchNormState& state,
           const BatchNormOptions& o) {
  const Tensor partials = partials_for(x);
  const Tensor counts = empty({partials.dim(1)}, DType::i64, x.device());
  if (state.running_mean.defined()) {
    state.running_mean.storage()->bump_version();
    state.running_var.storage()->bump_version();
  }
  launch(x.device(), BatchNormLearnArgs{.rows = a,
                                        .partials = partials.raw(),
                                        .counts = counts.data<int64_t>(),
                                        .eps = o.eps,
                                        .mean = raw_or_null(state.running_mean),
                                        .var = raw_or_null(state.running_var),
                                        .momentum = o.momentum});
}

struct Kept {
  bool training, want_x, want_weight, want_bias;
  Saved x, mask, weight, stats;
};

Grads backward(const Kept& kept, const Tensor& dy_in) {
  const Tensor &x = kept.x.get(), dy = dense(dy_in);
  const auto feature = [&](bool wanted) {
    return wanted ? empty({x.dim(-1)}, x.dtype(), x.device()) : Tensor();
  };
  const Tensor dx = kept.want_x ? empty_like(x) : Tensor();
  const Tensor dweight = feature(kept.want_weight), dbias = feature(kept.want_bias);
  const bool sums = kept.want_weight || kept.want_bias || kept.training;
  const Tensor partials = sums ? partials_for(x) : Tensor();
  const BatchNormInput rows =
      arguments(x, kept.mask.get(), kept.weight.get(), Tensor(), kept.stats.get());
  launch(x.device(), BatchNormBackwardArgs{.rows = rows,
                                           .dy = dy.raw(),
                                           .dx = raw_or_null(dx),
                                           .dweight = raw_or_null(dweight),
                                           .dbias = raw_or_null(dbias),
                                           .training = kept.training,
                                           .partials = raw_or_null(partials)});
  return {dx, dweight, dbias};
}

}  // namespace

Tensor batch_norm(const Tensor& in, const Tensor& weight_in, const Tensor& bias_in,
                  const BatchNormState& state, const BatchNormOptions& o) {
  check(in, weight_in, bias_in, state, o);
  const Tensor x = dense(in), y = empty_like(x), mask = dense_or_none(o.mask);
  const Tensor weight = dense_or_none(weight_in), bias = dense_or_none(bias_in);
  const Tensor stats = empty({2 * x.dim(-1) + 1}, sum_dtype(x.dtype()), x.device());
  const BatchNormInput a = arguments(x, mask, weight, bias, stats);
  if (o.training)
    learn(x, a, state, o);
  else
    launch(x.device(),
           BatchNormRecallArgs{a, o.eps, state.running_mean.raw(), state.running_var.raw()});
  launch(x.device(), BatchNormApplyArgs{a, y.raw()});
  const Kept kept{.training = o.training,
                  .want_x = needs_grad(in),
                  .want_weight = needs_grad(weight_in),
                  .want_bias = needs_grad(bias_in),
                  .x = Saved(x),
                  .mask = Saved(mask),
                  .weight = Saved(weight),
                  .stats = Saved(stats)};
  return record("batch_norm", y, {in, weight_in, bias_in},
                [kept](const Tensor& dy) { return backward(kept, dy); });
}

}  // namespace jogak
