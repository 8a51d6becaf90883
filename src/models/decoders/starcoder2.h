// StarCoder2: a decoder of code. Rotary positions, query heads that share key heads, perhaps a
// window, as in Mistral; LayerNorms, biases and a plain feed-forward, as in GPT-2.
#pragma once

#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct Starcoder2Config {
  int64_t vocab = 49152, context = 4096, width = 3072, inner = 12288, layers = 30;
  int64_t heads = 24, kv_heads = 2, head = 128, window = 0;  // head: width of one
  double eps = 1e-5, init = 0.018042, attn_drop = 0, resid_drop = 0, embd_drop = 0;
  Activation activation = Activation::gelu_tanh;
  bool bias = true, tied = true;
  int64_t pad = -1;
  RopeConfig rope = {};

  static const ConfigTable<Starcoder2Config>& table();
  ModelOutline outline() const;
};

struct Starcoder2Block {
  std::string path;
  LayerNorm input_layernorm, post_attention_layernorm;
  Linear qkv, o_proj;  // q_proj, k_proj and v_proj as one
  Linear c_fc, c_proj;
  AttentionShape shape;
  int64_t window;
  Activation activation;
  double resid_drop;
  Starcoder2Block(Params p, const Starcoder2Config& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;  // [B, T, C]

 private:
  Tensor attention(const Tensor& x, const Tensor& turns, LayerRun run) const;
};

struct Starcoder2 {
  Starcoder2Config config;
  Embedding embed_tokens;
  RotaryPositions rotary;
  std::vector<Starcoder2Block> layers;
  LayerNorm norm;
  Starcoder2(Params p, const Starcoder2Config& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before the norm
  const Tensor& table() const { return embed_tokens.weight; }
  const LayerNorm& last_norm() const { return norm; }
};

}  // namespace jogak
