// The one seam for matrix products: C = A B, or C += A B.
//
// On the CPU each element of C is a sum of chains of multiply-adds (fused where the CPU can), in
// order of k and cut every kGemmChunk of k; the chains are added in order. So a row of C has the
// same bits whatever the other rows, the layout of the operands and the number of threads, and on
// every CPU whose multiply-adds are fused.
//
// In bf16 two steps of k are one: of each pair the second product is added to the chain, then the
// first, and chains are cut every 2 kGemmChunk of k. Sums are f32, rounded once where C is bf16.
// With AMX a sum is added to once for every 32 steps of k: by a chain of the even ones and a chain
// of the odd ones, each from zero, together; it begins with what C held.
//
// Weights in bf16 under values in f32 (b_bf16) are summed in lanes, to be read as they lie: with V
// floats in a vector, lane l adds up the products at k = 2 V i + 2 l and 2 V i + 2 l + 1 in order,
// and the lanes are added in one fixed order. That, too, depends on k alone.
//
// Weights in small integers (b_packed, tensor/packed.h) meet values that are rounded to 16 bits, by
// the largest of each block of k. Within a block sums are whole numbers, and exact; blocks are
// added in order of k by one fused multiply-add each. So bits depend on k and the block alone.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct Gemm {
  DType dtype = DType::f32;  // of A, B and C; sums are f32, f64 for f64
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;  // [m, k] at any strides, in elements
  int64_t a_row = 0, a_col = 1;
  const void* b = nullptr;  // [k, n] at any strides
  int64_t b_row = 0, b_col = 1;
  void* c = nullptr;  // [m, n], columns side by side
  int64_t c_row = 0;
  bool accumulate = false;     // C += A B
  const void* bias = nullptr;  // [n] of C's type, added to whole sums; where cpu::adds_bias(g)
  bool b_bf16 = false;         // dtype is f32, B alone is bf16
  bool b_packed = false;       // dtype is f32, B is a packed matrix [n, k] or, by b_row, [k, n]
  bool c_f32 = false;          // dtype is bf16, C alone is f32; on a GPU f16, too
};

// `count` products whose operands lie a_step, b_step and c_step elements apart. into_one: a single
// C is the sum of them all, added in their order.
struct GemmBatch {
  Gemm first;
  int64_t count = 0, a_step = 0, b_step = 0, c_step = 0;
  bool into_one = false;
};

inline constexpr int64_t kGemmChunk = 512;

void run(OnCpu, const Gemm& g);
void run(OnCpu, const GemmBatch& batch);

namespace cuda {
void run(OnCuda, const Gemm& g);
void run(OnCuda, const GemmBatch& batch);
}  // namespace cuda

}  // namespace jogak
