// LLaMA: a causal decoder with rotary positions, RMS norms before each sub-layer, query heads that
// share key heads, and a gated feed-forward.
#pragma once

#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct LlamaConfig {
  int64_t vocab = 32000, context = 2048, width = 4096, inner = 11008, layers = 32;
  int64_t heads = 32, kv_heads = 32, head = 128;  // head: width of one
  double eps = 1e-6, attn_drop = 0, init = 0.02;
  Activation activation = Activation::silu;  // of the gate
  bool attention_bias = false, mlp_bias = false;
  bool tied = false;  // the head is embed_tokens
  int64_t pad = -1;   // a token whose embedding is never trained; -1: none
  RopeConfig rope = {};

  static const ConfigTable<LlamaConfig>& table();
  ModelOutline outline() const;
};

struct LlamaAttention {
  Linear qkv, o_proj;  // q_proj, k_proj and v_proj as one
  AttentionShape shape;
  LlamaAttention(Params p, const LlamaConfig& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;
};

struct LlamaMlp {
  Linear gate_up, down_proj;  // gate_proj and up_proj as one
  Activation activation;
  LlamaMlp(Params p, const LlamaConfig& c);
  Tensor operator()(const Tensor& x, LayerRun run) const;  // down(act(gate(x)) * up(x))
};

struct LlamaBlock {
  std::string path;
  RmsNorm input_layernorm;
  LlamaAttention self_attn;
  RmsNorm post_attention_layernorm;
  LlamaMlp mlp;
  LlamaBlock(Params p, const LlamaConfig& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;  // [B, T, C]
};

struct Llama {
  LlamaConfig config;
  Embedding embed_tokens;
  RotaryPositions rotary;
  std::vector<LlamaBlock> layers;
  RmsNorm norm;
  Llama(Params p, const LlamaConfig& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before norm
  const Tensor& table() const { return embed_tokens.weight; }
  const RmsNorm& last_norm() const { return norm; }
};

}  // namespace jogak
