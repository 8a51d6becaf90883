// Multi-head attention: projections around the fused op, over a cache or over the whole input.
#pragma once

#include "nn/modules.h"

namespace jogak {

// What differs between families besides names.
struct AttentionShape {
  int64_t width = 0, heads = 0, kv_heads = 0;
  double scale = 0;    // of the scores; 0 means 1 / sqrt(head width)
  double dropout = 0;  // on the weights, in training

  int64_t head_width() const { return width / heads; }
  void check(const char* what) const;  // width % heads and heads % kv_heads, naming the numbers
};

// Causal self-attention on queries, keys and values that lie side by side in one
// [B, T, (heads + 2 kv_heads) head_width] tensor -> [B, T, width]. With a cache in the run the
// new keys and values join it first. A probe sees "attentions".
Tensor causal_self_attention(const Tensor& qkv, const AttentionShape& shape, LayerRun run);

// Self-attention with one projection for q, k and v, and one after.
struct MultiHeadAttention {
  Linear qkv, out;
  AttentionShape shape;
  MultiHeadAttention(Params qkv_path, Params out_path, AttentionShape s,
                     Init out_init = normal(0.02));
  Tensor operator()(const Tensor& x, LayerRun run) const {
    return out(causal_self_attention(qkv(x), shape, run));
  }
};

}  // namespace jogak
