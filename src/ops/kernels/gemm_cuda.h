// Matrix products on the GPU: by cuBLASLt where it has a kernel, by our own otherwise.
#pragma once

#include "ops/gemm.h"
#include "ops/linear_kernel.h"

namespace jogak::cuda {

// A batch of products as column-major BLAS sees it: C^T = B^T A^T. False: the library has no kernel
// for it, and nothing was done. Sums are f32 (f64 for f64), in an order that follows from the
// shape; which kernel runs is decided once a shape.
struct LtProduct {
  Gemm first;
  int64_t count = 1, a_step = 0, b_step = 0, c_step = 0;
  const void* bias = nullptr;   // added to each row of C
  const void* onto = nullptr;   // of C's shape: added to it
  bool gelu = false;            // C is gelu_tanh of the sum
  void* before_gelu = nullptr;  // which is left here, where it is wanted
};
bool lt_product(OnCuda on, const LtProduct& p);

// Any strides, any sizes; slowly.
void plain_product(OnCuda on, const GemmBatch& batch);

// A linear layer of a few rows, as when texts grow by a token: reading the weights is all the time.
// False: there are more rows, or they do not lie in pieces of 16 bytes, and nothing was done. A row
// has the same bits whatever the others are.
bool thin_product(OnCuda on, const LinearArgs& a);

// The same for up to 64 rows of 16-bit numbers, by tensor cores.
bool few_product(OnCuda on, const LinearArgs& a);

// Product, bias and what it joins by one call; the activation is left. False: there is neither, or
// no such kernel.
bool gemm_with_bias(OnCuda on, const LinearArgs& a);

// A linear layer by one call, where the library has its epilogue. False: nothing was done.
bool gemm_with_epilogue(OnCuda on, const LinearArgs& a);

}  // namespace jogak::cuda
