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
  int64_t first_row = 0;  // what errors call the first row
};

// Fills lse, and the loss of each row (0 where ignored).
void cross_entropy(const CrossEntropyRows& a, void* losses);

// What a row's loss weighs in the total: 1, or 1 / counted targets for the mean. One number of
// the sum type, like the total: the sum of the losses times the share.
void cross_entropy_share(const CrossEntropyRows& a, bool mean, void* share);
void cross_entropy_total(const CrossEntropyRows& a, const void* losses, const void* share,
                         void* total);

// dlogits = (softmax - smoothed target) * dloss * share, with dloss one number (each_row false)
// or one a row. dlogits may be the logits themselves.
void cross_entropy_backward(const CrossEntropyRows& a, const void* dloss, bool each_row,
                            const void* share, void* dlogits);

// x *= factor, one number of x's type (f32 or f64) that only the device knows.
void multiply_by(DType dtype, const void* factor, void* x, int64_t count);

}  // namespace jogak::cpu
