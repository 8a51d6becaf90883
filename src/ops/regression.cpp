#include "ops/regression.h"

#include "autograd/autograd.h"
#include "ops/regression_kernel.h"

namespace jogak {
namespace {

void check(const char* op, const Tensor& prediction, const Tensor& target, const Tensor& mask) {
  ensure<ShapeError>(prediction.shape() == target.shape() && prediction.dtype() == target.dtype(),
                     op, ": prediction ", prediction.dtype(), " ", prediction.shape(),
                     " and target ", target.dtype(), " ", target.shape(), " differ");
  ensure_together(op, {&prediction, &target, &mask});
  if (mask.defined())
    ensure<ShapeError>(mask.shape() == prediction.shape() && mask.dtype() == DType::boolean, op,
                       ": mask ", mask.dtype(), " ", mask.shape(), ", wanted bool ",
                       prediction.shape());
}

// What forward hands to backward.
struct Loss {
  Deviation kind;
  bool wants_prediction, wants_target;
  Tensor value;
  Saved prediction, target, mask, share;
};

RegressionPairs arguments(Deviation kind, const Tensor& prediction, const Tensor& target,
                          const Tensor& mask) {
  return {.dtype = prediction.dtype(),
          .kind = kind,
          .prediction = prediction.raw(),
          .target = target.raw(),
          .mask = mask.defined() ? mask.data<bool>() : nullptr,
          .count = prediction.count()};
}

Loss forward(const char* op, Deviation kind, const Tensor& prediction_in, const Tensor& target_in,
             const Tensor& mask_in) {
  check(op, prediction_in, target_in, mask_in);
  const Tensor prediction = dense(prediction_in), target = dense(target_in);
  const Tensor mask = mask_in.defined() ? dense(mask_in) : mask_in;
  Device& device = prediction.device();
  const DType sums = sum_dtype(prediction.dtype());
  const Tensor value = empty({}, sums, device), share = empty({}, sums, device);
  const Tensor partials = empty({regression_pieces(prediction.count()), 2}, DType::f64, device);
  launch(device, RegressionArgs{arguments(kind, prediction, target, mask), partials.data<double>(),
                                value.raw(), share.raw()});
  return {.kind = kind,
          .wants_prediction = needs_grad(prediction_in),
          .wants_target = needs_grad(target_in),
          .value = value,
          .prediction = Saved(prediction),
          .target = Saved(target),
          .mask = Saved(mask),
          .share = Saved(share)};
}

Grads backward(const Loss& loss, const Tensor& dloss) {
  const Tensor &prediction = loss.prediction.get(), &target = loss.target.get();
  const Tensor dprediction = loss.wants_prediction ? empty_like(prediction) : Tensor();
  const Tensor dtarget = loss.wants_target ? empty_like(target) : Tensor();
  launch(prediction.device(),
         RegressionBackwardArgs{arguments(loss.kind, prediction, target, loss.mask.get()),
                                dloss.raw(), loss.share.get().raw(),
                                dprediction.defined() ? dprediction.raw() : nullptr,
                                dtarget.defined() ? dtarget.raw() : nullptr});
  return {dprediction, dtarget};
}

}  // namespace

Tensor mse(const Tensor& prediction, const Tensor& target, const Tensor& mask) {
  const Loss loss = forward("mse", Deviation::squared, prediction, target, mask);
  return record("mse", loss.value, {prediction, target},
                [loss](const Tensor& dloss) { return backward(loss, dloss); });
}

Tensor mae(const Tensor& prediction, const Tensor& target, const Tensor& mask) {
  const Loss loss = forward("mae", Deviation::absolute, prediction, target, mask);
  return record("mae", loss.value, {prediction, target},
                [loss](const Tensor& dloss) { return backward(loss, dloss); });
}

Tensor binary_cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& mask) {
  const Loss loss = forward("binary_cross_entropy", Deviation::log_odds, logits, target, mask);
  return record("binary_cross_entropy", loss.value, {logits, target},
                [loss](const Tensor& dloss) { return backward(loss, dloss); });
}

}  // namespace jogak
