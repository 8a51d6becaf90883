#pragma once

#include <cstdint>

#include "ops/broadcast.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct SumAxes {
  int rank = 0;
  int64_t count = 1;  // product of the sizes
  int64_t size[Shape::kMaxRank], x[Shape::kMaxRank], other[Shape::kMaxRank];  // sizes and steps
};

// Every output is a sum of `rows` rows. A row lies along the innermost axis: when that axis is
// kept it gives one number a column, else one number in all.
struct SumPlan {
  SumAxes kept, summed;  // the outer axes
  int64_t inner = 1, inner_other = 0;
  bool inner_kept = false;
  int64_t segments = 1;           // pieces of a row that is summed up and long
  int64_t rows = 0;               // summed.count * segments
  int64_t chunk = 1, chunks = 1;  // rows of a partial sum, and how many partial sums
  int64_t outputs = 0;
};

SumPlan plan_sum(const Loops& loops);  // steps 0, 1, 2: x (dense), target, other

struct SumToArgs {
  DType dtype;
  SumPlan plan;
  const void *x, *other;  // other: what x is multiplied by, or null
  void* partial;          // chunks * outputs sums (double for f64, else float) when chunks > 1
  void* y;
};

void run(OnCpu, const SumToArgs& a);

namespace cuda {
void run(OnCuda, const SumToArgs& a);
}  // namespace cuda

}  // namespace jogak
