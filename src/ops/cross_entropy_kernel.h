#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct CrossEntropyRows {
  DType dtype;
  const void* logits;  // [rows, classes]
  const int64_t* targets;
  void* lse;  // log(sum(exp(logits))) of each row, of the sum type
  int64_t rows, classes, ignored;
  double smoothing;
  int64_t first_row = 0;  // what errors call the first row
  int64_t padding = 0;    // elements between rows, whose gradient is 0; on a GPU only
};

// Fills lse, and the loss of each row (0 where ignored).
struct CrossEntropyArgs {
  CrossEntropyRows rows;
  void* losses;
};

// What a row's loss weighs in the total: 1, or 1 / counted targets for the mean. One number of
// the sum type.
struct CrossEntropyShareArgs {
  CrossEntropyRows rows;
  bool mean;
  void* share;
};

// The sum of the losses times the share.
struct CrossEntropyTotalArgs {
  CrossEntropyRows rows;
  const void *losses, *share;
  void* total;
};

// dlogits = (softmax - smoothed target) * dloss * share, with dloss one number (each_row false)
// or one a row. dlogits may be the logits themselves.
struct CrossEntropyBackwardArgs {
  CrossEntropyRows rows;
  const void* dloss;
  bool each_row;
  const void* share;
  void* dlogits;
};

// Both at once, of logits that become their own gradient.
struct CrossEntropyInPlaceArgs {
  CrossEntropyArgs forward;
  CrossEntropyBackwardArgs backward;
};

// x *= factor, one number of x's sum type that only the device knows; on the CPU x is f32 or f64.
struct MultiplyByArgs {
  DType dtype;
  const void* factor;  // of the sum type
  void* x;
  int64_t count;
};

void run(OnCpu, const CrossEntropyArgs& a);
void run(OnCpu, const CrossEntropyShareArgs& a);
void run(OnCpu, const CrossEntropyTotalArgs& a);
void run(OnCpu, const CrossEntropyBackwardArgs& a);
void run(OnCpu, const CrossEntropyInPlaceArgs& a);
void run(OnCpu, const MultiplyByArgs& a);

namespace cuda {
void run(OnCuda, const CrossEntropyArgs& a);
void run(OnCuda, const CrossEntropyShareArgs& a);
void run(OnCuda, const CrossEntropyTotalArgs& a);
void run(OnCuda, const CrossEntropyBackwardArgs& a);
void run(OnCuda, const CrossEntropyInPlaceArgs& a);
void run(OnCuda, const MultiplyByArgs& a);
}  // namespace cuda

}  // namespace jogak
