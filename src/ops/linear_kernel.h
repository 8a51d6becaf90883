#pragma once

#include <cstdint>

#include "ops/activation_kind.h"
#include "ops/gemm.h"

namespace jogak {

// The product's C += bias (when given), += onto (when given, of C's shape, without an activation),
// after = times the activation of that (when given; on a CPU); after may be C. Halves, on a GPU:
// after [m, n / 2] = silu of C's first columns times the others (without an activation).
struct LinearArgs {
  Gemm product;
  Activation activation;
  const void* bias;
  void* after;
  const void* onto = nullptr;
  bool halves = false;
  double times = 1;
};

// A part of a layer's z and y [.., step], on the CPU, made of its product's sums [rows, sums_step]:
// bias and `onto` are added, y (when given; it may be z) is the activation.
struct LayerPart {
  const void* sums;
  int64_t sums_step;
  void* z;
  const void *bias, *onto;
  void* y;
  int64_t row, rows, col, cols, step;
  double times;  // the activation
};

// dz = dy * act'(z) (when dz is given), dbias = column sums of dz (when given); rows in order.
struct LinearBackwardArgs {
  DType dtype;
  Activation activation;
  const void *z, *dy;
  void *dz, *dbias;
  int64_t rows, cols;
};

void run(OnCpu, const LinearArgs& a);
void run(OnCpu, const LinearBackwardArgs& a);

namespace cuda {
void run(OnCuda, const LinearArgs& a);
void run(OnCuda, const LinearBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
