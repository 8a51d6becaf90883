// The one seam for matrix products: C = A B, or C += A B.
//
// Each element of C is made by chains of multiply-adds (fused where the CPU can) in order of k,
// cut at places that depend on k alone and added in order (onednn_chunk below; without AVX-512
// and for double there is one chain without a cut). So a row of C has the same bits whatever the
// other rows, the number of threads, and whether oneDNN or our own blocked product computed it.
//
// Weights in bf16 under values in f32 (b_bf16) are summed in lanes, to be read as they lie: with V
// floats in a vector, lane l adds up the products at k = 2 V i + 2 l and 2 V i + 2 l + 1 in order,
// and the lanes are added in one fixed order. That, too, depends on k alone.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct Gemm {
  DType dtype = DType::f32;  // of A, B and C; sums are f32, f64 for f64
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;  // [m, k] at any strides, in elements
  int64_t a_row = 0, a_col = 1;
  const void* b = nullptr;  // [k, n] at any strides
  int64_t b_row = 0, b_col = 1;
  void* c = nullptr;  // [m, n], columns side by side
  int64_t c_row = 0;
  bool accumulate = false;  // C += A B
  bool b_bf16 = false;      // dtype is f32, B alone is bf16
};

// Where oneDNN's AVX-512 kernels cut k, as measured and tested. For a turned A with long k they
// would also split k over threads, so the seam hands those over in pieces of 512.
inline int64_t onednn_chunk(const Gemm& g) { return g.a_col != 1 || g.k <= 1024 ? 512 : 1024; }

void gemm(const Gemm& g);

// `count` products whose operands lie a_step, b_step and c_step elements apart.
void gemm_batch(const Gemm& first, int64_t count, int64_t a_step, int64_t b_step, int64_t c_step);

// Our own blocked product, by instruction set. f32 and f64 only. The seam uses it where oneDNN
// would not keep the order, and for double.
void gemm_blocked(const Gemm& g);

// Rows whose values lie side by side times weights [n, k] in bf16, as they lie.
void gemm_bf16(const Gemm& g);

uint64_t gemm_primitives_created();  // for tests: a steady loop creates none

}  // namespace jogak::cpu
