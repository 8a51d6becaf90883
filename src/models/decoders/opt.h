// OPT: a causal decoder with learned positions that count real tokens, biases, ReLU, and norms
// before each sub-layer; in one size (350m) after it, with words in a narrower space.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct OptConfig {
  int64_t vocab = 50272, context = 2048, width = 768, inner = 3072, layers = 12, heads = 12;
  int64_t word_width = 768;  // of the words' vectors, and of what the head reads
  double dropout = 0.1, attn_drop = 0, layer_drop = 0, init = 0.02;
  Activation activation = Activation::relu;
  bool norm_before = true, final_norm = true, bias = true;
  bool tied = true;  // the head is embed_tokens
  int64_t pad = 1;   // a token whose embedding is never trained; -1: none
  int64_t head = 0;  // width of one; 0 means width / heads

  int64_t head_width() const { return head > 0 ? head : width / heads; }
  int64_t inner_heads() const { return heads * head_width(); }  // all side by side

  static const ConfigTable<OptConfig>& table();
  ModelOutline outline() const;
};

struct OptBlock {
  std::string path;
  Linear qkv, out_proj;  // q_proj, k_proj and v_proj as one
  LayerNorm self_attn_layer_norm;
  Linear fc1, fc2;
  LayerNorm final_layer_norm;
  AttentionShape shape;
  OptConfig config;
  OptBlock(Params p, const OptConfig& c);
  Tensor operator()(const Tensor& x, LayerRun run) const;  // [B, T, C]

 private:
  Tensor attention(const Tensor& x, LayerRun run) const;
  Tensor mlp(const Tensor& x, LayerRun run) const;
};

// What stands between the layers and the head.
struct OptEnd {
  std::optional<LayerNorm> final_layer_norm;
  std::optional<Linear> project_out;
  Tensor operator()(const Tensor& x, LayerRun run) const;  // [.., C] -> [.., words' width]
};

struct Opt {
  OptConfig config;
  Embedding embed_tokens;
  Tensor embed_positions;  // two rows stand before the first place
  std::optional<Linear> project_in;
  std::vector<OptBlock> layers;
  OptEnd end;
  Opt(Params p, const OptConfig& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before the end
  const Tensor& table() const { return embed_tokens.weight; }
  const OptEnd& last_norm() const { return end; }
};

}  // namespace jogak
