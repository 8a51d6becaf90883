#include "nn/spans.h"

#include "ops/add.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {

// Column `which` of the last axis: [.., 2] -> [..]
static Tensor column(const Tensor& x, int64_t which) {
  return reshape(slice(x, -1, which, which + 1), x.shape().without(-1));
}

std::pair<Tensor, Tensor> span_ends(const Tensor& logits) {
  ensure<ShapeError>(logits.rank() == 3 && logits.dim(2) == 2, "spans: logits ", logits.shape(),
                     ", wanted [texts, tokens, 2]");
  return {column(logits, 0), column(logits, 1)};
}

Tensor span_loss(const Tensor& logits, const Tensor& places, const CrossEntropyOptions& options) {
  const auto [first, last] = span_ends(logits);
  ensure<ShapeError>(places.rank() == 2 && places.dim(0) == logits.dim(0) && places.dim(1) == 2,
                     "spans: places ", places.shape(), ", wanted [", logits.dim(0), ", 2]");
  return (cross_entropy(first, dense(column(places, 0)), options) +
          cross_entropy(last, dense(column(places, 1)), options)) *
         0.5;
}

}  // namespace jogak
