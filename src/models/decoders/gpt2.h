// GPT-2: a causal decoder with learned positions, norm before each sub-layer, and a head that is
// the embedding (or its own matrix).
#pragma once

#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct Gpt2Config {
  int64_t vocab = 50257, context = 1024, width = 768, layers = 12, heads = 12;
  int64_t inner = 0;  // of the feed-forward; 0 means 4 * width
  int64_t head = 0;   // width of one; 0 means width / heads
  double eps = 1e-5, embd_drop = 0.1, attn_drop = 0.1, resid_drop = 0.1, init = 0.02;
  Activation activation = Activation::gelu_tanh;
  bool tied = true;             // the head is wte
  bool scale_attn = true;       // by 1 / sqrt(head width)
  bool scale_by_layer = false;  // and by 1 / (layer + 1)

  int64_t inner_width() const { return inner > 0 ? inner : 4 * width; }
  int64_t head_width() const { return head > 0 ? head : width / heads; }

  static const ConfigTable<Gpt2Config>& table();
  ModelOutline outline() const;
};

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
  Gpt2Config config;
  Embedding wte, wpe;
  std::vector<Gpt2Block> h;
  LayerNorm ln_f;
  static constexpr bool kTokenTypes = true;  // rows of wte, too
  Gpt2(Params p, const Gpt2Config& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before ln_f
  const Tensor& table() const { return wte.weight; }
  const LayerNorm& last_norm() const { return ln_f; }
};

}  // namespace jogak
