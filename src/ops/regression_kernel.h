#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

enum class Deviation { squared, absolute, log_odds };

struct RegressionPairs {
  DType dtype;
  Deviation kind;
  const void *prediction, *target;
  const bool* mask;  // null: everything counts
  int64_t count;
};

inline constexpr int64_t kRegressionPiece = 1 << 14;
inline int64_t regression_pieces(int64_t count) {
  return (count + kRegressionPiece - 1) / kRegressionPiece;
}

// loss = mean deviation; share = 1 / counted, both one number of the sum type.
struct RegressionArgs {
  RegressionPairs pairs;
  double* partials;  // room for a sum and a count per piece
  void *loss, *share;
};

// The slopes of prediction and target times dloss * share; either may be null.
struct RegressionBackwardArgs {
  RegressionPairs pairs;
  const void *dloss, *share;
  void *dprediction, *dtarget;
};

void run(OnCpu, const RegressionArgs& a);
void run(OnCpu, const RegressionBackwardArgs& a);

namespace cuda {
void run(OnCuda, const RegressionArgs& a);
void run(OnCuda, const RegressionBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
