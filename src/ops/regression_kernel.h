#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

enum class Deviation { squared, absolute, log_odds };

struct Regression {
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

// loss = mean deviation; share = 1 / counted, both one number of the sum type. `partials` has
// room for a sum and a count per piece.
void regression(const Regression& a, double* partials, void* loss, void* share);

// The slopes of prediction and target times dloss * share; either may be null.
void regression_backward(const Regression& a, const void* dloss, const void* share,
                         void* dprediction, void* dtarget);

}  // namespace jogak::cpu
