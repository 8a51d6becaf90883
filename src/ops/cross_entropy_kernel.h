#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct CrossEntropyRows {
  DType dtype;
  const void* logits;  // [rows, classes]
  const int64_t* targets;
  void* lse;  // log(sum(exp(logits))) of each row, of the sum type
  int64_t rows, classes, ignored;
  double smoothing;
};

// Fills lse, and the loss of each row (0 where ignored).
void cross_entropy(const CrossEntropyRows& a, void* losses);

// total = sum of the losses, divided by the counted targets when `mean`; share = what a row's
// loss weighs in it. Both hold one number of the sum type.
void cross_entropy_total(const CrossEntropyRows& a, const void* losses, bool mean, void* total,
                         void* share);

// dlogits = (softmax - smoothed target) * dloss * share, with dloss one number (each_row false)
// or one a row. dlogits may be the logits themselves.
void cross_entropy_backward(const CrossEntropyRows& a, const void* dloss, bool each_row,
                            const void* share, void* dlogits);

}  // namespace jogak::cpu
