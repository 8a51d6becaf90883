// StableLM: LLaMA's attention and gated feed-forward between LayerNorms, a part of each head
// rotating; attention and feed-forward may stand side by side and read one norm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/decoders/rotary_decoder.h"

namespace jogak {

struct StableLmConfig : RotaryDecoderConfig {
  bool parallel = false;
  StableLmConfig() { vocab = 50304, context = 4096, width = 2560, inner = 6912, eps = 1e-5; }

  static const ConfigTable<StableLmConfig>& table();
  ModelOutline outline() const;
};

struct StableLmBlock {
  std::string path;
  LayerNorm input_layernorm;
  std::optional<LayerNorm> post_attention_layernorm;  // none where the two stand side by side
  RotaryAttention self_attn;
  GatedMlp mlp;
  double drop_rate;
  StableLmBlock(Params p, const StableLmConfig& c, int64_t layer);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;  // [B, T, C]
};

struct StableLm {
  StableLmConfig config;
  Embedding embed_tokens;
  RotaryPositions rotary;
  std::vector<StableLmBlock> layers;
  LayerNorm norm;
  StableLm(Params p, const StableLmConfig& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before the norm
  const Tensor& table() const { return embed_tokens.weight; }
  const LayerNorm& last_norm() const { return norm; }
};

}  // namespace jogak
