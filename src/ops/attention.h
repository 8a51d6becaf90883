#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace jogak {

struct AttentionOptions {
  bool causal = false;   // query i sees keys up to i + (Tk - Tq)
  double scale = 0;      // of the scores; 0 means 1 / sqrt(key width)
  int64_t window = 0;    // query i sees keys less than so far from it; 0: however far
  double cap = 0;        // scores become cap tanh(score / cap), without a bias; 0: none
  Tensor key_mask = {};  // bool [B, Tk], false for padding; undefined: every key is real
  Tensor key_bias = {};  // [B or 1, H, Tk], a constant added to the scores: ALiBi
  // [H, Tq + Tk - 1], added to the scores by how far the key stands behind the query, from -(Tk -
  // 1) to Tq - 1: relative positions. It may have a gradient.
  Tensor distance_bias = {};
  double dropout = 0;             // on the weights
  uint64_t seed = 0, stream = 0;  // dropout's random numbers
};

// softmax(q k^T scale + bias + masks) v, without ever holding the [Tq, Tk] weights or biases.
//   q [B, Tq, H, D], k [B, Tk, G, D], v [B, Tk, G, E] -> [B, Tq, H, E]; H is a multiple of G.
// Any strides whose last axis is packed are read in place. Scores, softmax and sums are f32 (f64
// for f64). A query whose keys are all masked gives zeros. A row's bits do not depend on the
// other rows, the batch or the threads.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options);

// The same on one [B, T, (H + 2 G) D] tensor that holds q, k and v side by side, as projections
// make it: the gradient comes back in one piece.
Tensor attention_packed(const Tensor& qkv, int64_t heads, int64_t kv_heads,
                        const AttentionOptions& options);

// The weights themselves, [B, H, Tq, Tk], for looking at; without dropout and without gradient.
Tensor attention_weights(const Tensor& q, const Tensor& k, const AttentionOptions& options);

}  // namespace jogak
