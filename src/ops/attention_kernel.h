#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

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

struct AttentionArgs {
  DType dtype = DType::f32;  // f32 or f64
  int64_t batches = 0, queries = 0, keys = 0, heads = 0, kv_heads = 0, width = 0, value_width = 0;
  HeadsView q, k, v, out;
  const bool* key_mask = nullptr;  // [batches, keys]
  KeyBias bias = {};               // of dtype
  bool causal = false;
  double scale = 1, dropout = 0;
  uint64_t seed = 0, stream = 0;
  void* lse = nullptr;      // [batches, heads, queries]: log of the softmax's denominator
  void* weights = nullptr;  // [batches, heads, queries, keys] when asked for
  // backward
  HeadsView d_out, dq, dk, dv;
};

void attention(const AttentionArgs& args);
void attention_backward(const AttentionArgs& args);

// One row per new token: its query, over the cached keys of its sequence up to its own position.
struct PagedRows {
  int64_t heads = 0, kv_heads = 0, width = 0, value_width = 0;
  double scale = 1;
  const float* q = nullptr;  // [rows, heads, width] at strides
  int64_t q_row = 0, q_head = 0;
  float* out = nullptr;  // [rows, heads, value_width], packed
  KeyBias bias = {};     // f32, one for all sequences: by the position of the key
};
struct PagedRun {  // rows of one sequence: first_row .. first_row + rows - 1, from `position` on
  int64_t first_row = 0, rows = 0, position = 0;
  int64_t stride = 1;                         // of the positions; 0: all rows see as far
  const float* const* key_pages = nullptr;    // [kv_heads, width, 64] each
  const float* const* value_pages = nullptr;  // [kv_heads, 64, value_width] each
};
void paged_attention(const PagedRows& rows, const PagedRun* runs, int64_t run_count);

}  // namespace jogak::cpu
