#include <cmath>

#include "ops/grad_norm.h"
#include "ops/update_numbers_kernel.h"

namespace jogak {

void run(OnCpu, const UpdateScaleArgs& a) {
  UpdateNumbers& n = *a.numbers;
  const double norm = std::sqrt(a.sums[1]) * n.share;
  n.scale = n.share * clip_factor(norm, n.limit);
  n.allowed = std::isfinite(a.sums[0]) && std::isfinite(norm) ? 1 : 0;
}

}  // namespace jogak
