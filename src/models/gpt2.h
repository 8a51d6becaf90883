// GPT-2: a causal decoder with learned positions, norm before each sub-layer, and a head that is
// the embedding (or its own matrix).
#pragma once

#include <vector>

#include "base/json.h"
#include "nn/attention.h"
#include "nn/causal_model.h"

namespace jogak {

struct Gpt2Config {
  int64_t vocab = 50257, context = 1024, width = 768, layers = 12, heads = 12;
  int64_t inner = 0;  // of the feed-forward; 0 means 4 * width
  double eps = 1e-5, embd_drop = 0.1, attn_drop = 0.1, resid_drop = 0.1, init = 0.02;
  Activation activation = Activation::gelu_tanh;
  bool tied = true;             // the head is wte
  bool scale_attn = true;       // by 1 / sqrt(head width)
  bool scale_by_layer = false;  // and by 1 / (layer + 1)

  int64_t inner_width() const { return inner > 0 ? inner : 4 * width; }
};

Gpt2Config read_gpt2_config(const Json& json, const std::string& file);  // Hugging Face's keys
Json write_gpt2_config(const Gpt2Config& config);
extern const NameMap kGpt2Names;

struct Gpt2Block {
  std::string path;
  LayerNorm ln_1;
  SelfAttention attn;
  LayerNorm ln_2;
  FeedForward mlp;
  double dropout;
  Gpt2Block(Params p, const Gpt2Config& c, int64_t layer);
  Tensor operator()(Tensor x, LayerRun run) const;  // [B, T, C] -> [B, T, C]
};

struct Gpt2 {
  static constexpr bool kEndless = false;  // positions are a table
  Gpt2Config config;
  Embedding wte, wpe;
  std::vector<Gpt2Block> h;
  LayerNorm ln_f;
  Weight lm_head;
  Gpt2(Params p, const Gpt2Config& c);

  Tensor hidden(const Tensor& ids, Run& run) const;      // [B, T] -> [B, T, C], after ln_f
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, V]
  Tensor read(const Tensor& x, Run& run) const;          // of any layer: ln_f and the head
  CacheShape cache_shape() const;
};

}  // namespace jogak
