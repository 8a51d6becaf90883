// The matrix products of ops/gemm.h on the CPU: which kernel takes which.
#pragma once

#include "ops/gemm.h"

namespace jogak::cpu {

void gemm(const Gemm& g);

struct Part {  // of C
  int64_t row, rows, col, cols;
};
// What a layer does to its product: called for each part of C whose sums, `step` apart, are whole,
// by the thread that made them. It is what writes C then.
struct PartDone {
  const void* with;
  void (*call)(const void* with, const void* sums, int64_t step, const Part& part);
};
// Whether `done`, if any, was called, which is for every part of C then.
bool gemm(const Gemm& g, const PartDone* done);

// Whether the kernel that takes a product adds its bias while sums are in registers.
bool adds_bias(const Gemm& g);

// The product itself, by instruction set; f32 and f64 only.
bool gemm_blocked(const Gemm& g, const PartDone* done = nullptr);

// The product of bf16, with sums in f32.
void gemm_pairs(const Gemm& g);

// A few rows, whose values lie side by side, times weights [n, k] in f32 as they lie.
void gemm_thin(const Gemm& g);
// The same for more rows, up to most_several() where it is quicker than packing the weights.
void gemm_several(const Gemm& g);
int64_t most_several();

// Rows whose values lie side by side times weights [n, k] in bf16, as they lie or in tiles.
void gemm_bf16(const Gemm& g);

// The same times weights [n, k] in tiles of f32 (tensor/tiles.h).
void gemm_tiled(const Gemm& g);

// Rows whose values lie side by side times a packed matrix [n, k] of small integers.
bool gemm_packed(const Gemm& g, const PartDone* done);

}  // namespace jogak::cpu
