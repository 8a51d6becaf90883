#include "ops/cross_entropy.h"

#include "autograd/autograd.h"
#include "ops/cross_entropy_kernel.h"

namespace jogak {
namespace {

void check(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  ensure<ShapeError>(logits.rank() >= 1 && logits.dim(-1) >= 1, "cross_entropy: logits of shape ",
                     logits.shape(), " hold no class");
  ensure<ShapeError>(targets.shape() == logits.shape().without(-1) && targets.dtype() == DType::i64,
                     "cross_entropy: targets ", targets.dtype(), " ", targets.shape(), ", logits ",
                     logits.shape(), " want i64 ", logits.shape().without(-1));
  ensure_together("cross_entropy", {&logits, &targets});
  ensure<UsageError>(options.label_smoothing >= 0 && options.label_smoothing <= 1,
                     "cross_entropy: label smoothing ", options.label_smoothing, ", wanted 0 to 1");
}

CrossEntropyRows rows_of(const Tensor& logits, const Tensor& targets, const Tensor& lse,
                         const CrossEntropyOptions& options) {
  return {.dtype = logits.dtype(),
          .logits = logits.raw(),
          .targets = targets.data<int64_t>(),
          .lse = lse.raw(),
          .rows = logits.rows(),
          .classes = logits.dim(-1),
          .ignored = options.ignored,
          .smoothing = options.label_smoothing};
}

Tensor backward(const Tensor& logits, const Tensor& targets, const Tensor& lse, const Tensor& share,
                const Tensor& dloss, const CrossEntropyOptions& options, bool in_place) {
  const Tensor dlogits = in_place ? logits : empty_like(logits);
  if (in_place) logits.storage()->bump_version();
  launch(logits.device(), CrossEntropyBackwardArgs{
                              rows_of(logits, targets, lse, options), dloss.raw(),
                              options.reduction == Reduction::none, share.raw(), dlogits.raw()});
  return dlogits;
}

}  // namespace

Tensor cross_entropy(const Tensor& in, const Tensor& targets_in,
                     const CrossEntropyOptions& options) {
  check(in, targets_in, options);
  const Tensor logits = dense(in), targets = dense(targets_in);
  const DType sums = sum_dtype(logits.dtype());
  const Tensor lse = empty(targets.shape(), sums, in.device());
  const Tensor losses = empty(targets.shape(), sums, in.device());
  const Tensor total = empty({}, sums, in.device()), share = empty({}, sums, in.device());
  const CrossEntropyRows rows = rows_of(logits, targets, lse, options);
  launch(in.device(), CrossEntropyArgs{rows, losses.raw()});
  launch(in.device(),
         CrossEntropyShareArgs{rows, options.reduction == Reduction::mean, share.raw()});
  launch(in.device(), CrossEntropyTotalArgs{rows, losses.raw(), share.raw(), total.raw()});
  // A packed copy is nobody else's; a mapped file must never be written.
  const bool own = logits.storage() != in.storage();
  const bool in_place = own || (options.reuse_logits && !logits.storage()->borrowed());
  return record(
      "cross_entropy", options.reduction == Reduction::none ? losses : total, {in},
      [options, in_place, x = Saved(logits), t = Saved(targets), l = Saved(lse),
       s = Saved(share)](const Tensor& dloss) {
        return Grads{backward(x.get(), t.get(), l.get(), s.get(), dense(dloss), options, in_place)};
      });
}

}  // namespace jogak
