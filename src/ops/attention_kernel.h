#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

// [B, T, heads, width] at any strides with a packed last axis.
struct HeadsView {
  void* data = nullptr;
  int64_t batch = 0, time = 0, head = 0;  // strides in elements
};

// Numbers added to the scores of a head for its keys; null: none. [batch, heads, keys] at strides.
struct KeyBias {
  const void* data = nullptr;
  int64_t batch = 0, head = 0, keys = 0;
};

// Numbers added to the scores of a head by how far the key stands behind the query: [heads,
// columns] of the sum type, heads at a stride, column `zero` for a key at the query's place; null:
// none.
struct DistanceBias {
  const void* data = nullptr;
  int64_t head = 0, columns = 0, zero = 0;
};

struct AttentionArgs {
  DType dtype = DType::f32;
  int64_t batches = 0, queries = 0, keys = 0, heads = 0, kv_heads = 0, width = 0, value_width = 0;
  HeadsView q, k, v, out;
  const bool* key_mask = nullptr;  // [batches, keys]
  KeyBias bias = {};               // of the sum type, as lse and weights are
  DistanceBias distances = {};     // never both
  bool causal = false;
  int64_t window = 0;  // 0: none
  double scale = 1, cap = 0, dropout = 0;
  uint64_t seed = 0, stream = 0;
  void* lse = nullptr;      // [batches, heads, queries]: log of the softmax's denominator
  void* weights = nullptr;  // [batches, heads, queries, keys] when asked for
};

struct AttentionBackwardArgs : AttentionArgs {
  HeadsView d_out, dq, dk, dv;
  void* d_distances = nullptr;  // [batches, heads, columns] of the sum type, added to; null: none
};

void run(OnCpu, const AttentionArgs& a);
void run(OnCpu, const AttentionBackwardArgs& a);

namespace cuda {
void run(OnCuda, const AttentionArgs& a);
void run(OnCuda, const AttentionBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
