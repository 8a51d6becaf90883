#include "train/task.h"

#include <algorithm>

#include "autograd/autograd.h"

namespace jogak {

double mean_loss(int64_t count, int64_t batch, const RangeLoss& loss, Run& run) {
  ensure<Error>(count >= 1 && batch >= 1, "validation: ", count, " items, ", batch,
                " at a time: wanted at least one of both");
  const NoGrad quiet;
  Tensor total;  // on the device, in double
  int64_t tokens = 0;
  for (int64_t first = 0; first < count; first += batch) {
    if (!run.takes(first, batch, count)) continue;
    const LossSum part = loss(first, std::min(batch, count - first), run);
    if (!total.defined()) total = zeros({}, DType::f64, part.sum.device());
    accumulate(total, cast(part.sum, DType::f64));
    tokens += part.tokens;
  }
  ensure<Error>(tokens > 0, "validation: no token counts");
  return item(total) / static_cast<double>(tokens);
}

}  // namespace jogak
