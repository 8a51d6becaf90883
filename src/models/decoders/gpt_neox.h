// GPT-NeoX (Pythia, Polyglot-Ko): a causal decoder with LayerNorms and biases, whose attention and
// feed-forward stand side by side, and whose heads rotate by a part of their elements.
#pragma once

#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct GptNeoxConfig {
  int64_t vocab = 50432, context = 2048, width = 6144, inner = 24576, layers = 44, heads = 64;
  double eps = 1e-5, hidden_drop = 0, attn_drop = 0, init = 0.02;
  Activation activation = Activation::gelu;
  bool attention_bias = true;
  bool parallel = true;  // both sub-layers read the stream as it comes in
  bool tied = false;     // the head is embed_in
  RopeConfig rope = {};
  int64_t head = 0;  // width of one; 0 means width / heads

  int64_t head_width() const { return head > 0 ? head : width / heads; }

  static const ConfigTable<GptNeoxConfig>& table();
  ModelOutline outline() const;
};

struct GptNeoxAttention {
  Linear query_key_value, dense;
  AttentionShape shape;
  GptNeoxAttention(Params p, const GptNeoxConfig& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;
};

struct GptNeoxBlock {
  std::string path;
  LayerNorm input_layernorm, post_attention_layernorm;
  GptNeoxAttention attention;
  FeedForward mlp;
  bool parallel;
  double hidden_drop;
  GptNeoxBlock(Params p, const GptNeoxConfig& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;  // [B, T, C]
};

struct GptNeox {
  GptNeoxConfig config;
  Embedding embed_in;
  RotaryPositions rotary;
  std::vector<GptNeoxBlock> layers;
  LayerNorm final_layer_norm;
  static constexpr const char* kHead = "embed_out";
  GptNeox(Params p, const GptNeoxConfig& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before the norm
  const Tensor& table() const { return embed_in.weight; }
  const LayerNorm& last_norm() const { return final_layer_norm; }
};

}  // namespace jogak
