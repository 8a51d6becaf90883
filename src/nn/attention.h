// Multi-head attention: projections around the fused op, over a cache or over the whole input.
#pragma once

#include "nn/modules.h"

namespace jogak {

// What differs between families besides names.
struct AttentionShape {
  int64_t width = 0, heads = 0, kv_heads = 0;
  double scale = 0;    // of the scores; 0 means 1 / sqrt(head width)
  double dropout = 0;  // on the weights, in training
  int64_t head = 0;    // width of a head; 0 means width / heads
  double cap = 0;      // of the scores, see ops/attention.h; 0: none
  int64_t value = 0;   // width of a head's values; 0: as that of its queries and keys

  int64_t head_width() const { return head > 0 ? head : width / heads; }
  int64_t value_width() const { return value > 0 ? value : head_width(); }
  int64_t inner() const { return heads * head_width(); }   // all heads' queries side by side
  int64_t outer() const { return heads * value_width(); }  // what all heads read
  int64_t kv_inner() const { return kv_heads * (head_width() + value_width()); }
  void check(const char* what) const;  // width % heads and heads % kv_heads, naming the numbers
};

// What a query may look at. Both together: a causal decoder over padded text.
struct AttentionMask {
  bool causal = false;  // nothing behind itself
  Tensor keys = {};     // bool [B, Tk], false for padding; undefined: every key is real
  // Added to the scores: [B or 1, heads, Tk]. With a cache [1, heads, longest or more].
  Tensor bias = {};
  // By how far a key stands behind the query: [heads, Tq + Tk - 1] as in ops/attention.h. With a
  // cache [heads, longest or more], the last for the token itself.
  Tensor distances = {};
  int64_t window = 0;  // only keys less than so far away; 0: however far
};

// Self-attention on queries, keys and values that lie side by side in one
// [B, T, inner + kv_inner] tensor -> [B, T, outer]. With a cache in the
// run the new keys and values join it first, and the mask is causal. A probe sees the weights as
// `name`, and q, k, v and the heads' results under the place of the run.
Tensor self_attention(const Tensor& qkv, const AttentionShape& shape, const AttentionMask& mask,
                      LayerRun run, const char* name = "attentions");
// Of each text the first `count` queries alone, over all of its keys: [B, count, outer]. Without
// gradients, probes and masks.
Tensor first_of_attention(const Tensor& qkv, const AttentionShape& shape, int64_t count,
                          LayerRun run);

// Queries [B, Tq, inner] over keys and values [B, Tk, kv_inner] of another sequence.
Tensor cross_attention(const Tensor& q, const Tensor& kv, const AttentionShape& shape,
                       const AttentionMask& mask, LayerRun run,
                       const char* name = "cross_attentions");
// The same over run.sources: row r of the step looks at all of its source.
Tensor cached_cross_attention(const Tensor& q, const AttentionShape& shape, LayerRun run);
// Keys and values of one layer, [B, T, kv_inner], for cached_cross_attention: row b
// becomes sources[b], as long as that sequence is.
void remember(KvCache& cache, int64_t layer, const Tensor& kv, const std::vector<int>& sources);

// Self-attention with one projection for q, k and v, and one after.
struct SelfAttention {
  Linear qkv, out;
  AttentionShape shape;
  SelfAttention(Params qkv_path, Params out_path, AttentionShape s, Init qkv_init = normal(0.02),
                Init out_init = normal(0.02));
  Tensor operator()(const Tensor& x, const AttentionMask& mask, LayerRun run,
                    const char* name = "attentions") const {
    const Tensor heads = self_attention(qkv(x, run), shape, mask, run, name);
    return run.pass(Part::attention, {}, x, out(heads, run));
  }
};

// Queries from one sequence, keys and values from another: how a decoder reads its source.
struct CrossAttention {
  Linear q, kv, out;
  AttentionShape shape;
  CrossAttention(Params q_path, Params kv_path, Params out_path, AttentionShape s,
                 Init init = normal(0.02), Init out_init = normal(0.02));
  Tensor operator()(const Tensor& x, const Tensor& memory, const AttentionMask& mask,
                    LayerRun run) const {
    if (run->sources) return out(cached_cross_attention(q(x), shape, run));
    const Tensor heads = cross_attention(q(x, run), kv(memory, run), shape, mask, run);
    return run.pass(Part::cross, {}, x, out(heads, run));
  }
};

}  // namespace jogak
