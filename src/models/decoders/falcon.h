// Falcon: a causal decoder whose attention and feed-forward stand side by side or one after the
// other, with rotary positions or ALiBi, and with one key head, a few, or one for each query head.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct FalconConfig {
  // How a block is wired, and how its norms are called.
  enum class Block : uint8_t {
    sequential,         // attention, then feed-forward: input_layernorm, post_attention_layernorm
    parallel,           // both read input_layernorm(x)
    parallel_two_norms  // ln_attn before the one, ln_mlp before the other
  };
  int64_t vocab = 65024, context = 2048, width = 4544, layers = 32;
  int64_t heads = 71, kv_heads = 1;
  int64_t inner = 0;  // of the feed-forward; 0 means 4 * width
  int64_t head = 0;   // width of one; 0 means width / heads
  Block block = Block::parallel;
  bool grouped = false;  // new_decoder_architecture: kv_heads is a choice
  bool alibi = false;    // instead of rotary positions
  bool bias = false;     // of linear layers
  bool tied = true;      // the head is word_embeddings
  double eps = 1e-5, hidden_drop = 0, attn_drop = 0, init = 0.02;
  Activation activation = Activation::gelu;
  RopeConfig rope = {};

  int64_t inner_width() const { return inner > 0 ? inner : 4 * width; }
  int64_t head_width() const { return head > 0 ? head : width / heads; }

  static const ConfigTable<FalconConfig>& table();
  ModelOutline outline() const;
};

// How the file orders the heads of query_key_value: for each key head its query heads, itself and
// its value head. One key head for all and one for each are the ends of that rule.
RowBlocks falcon_heads(const FalconConfig& config);

// What a forward pass gives every layer: one of the two is defined.
struct FalconPlaces {
  Tensor turns;  // rotary positions, [1, T, head]
  Tensor lines;  // ALiBi, [B or 1, heads, T or more]
};

struct FalconAttention {
  Linear query_key_value, dense;
  AttentionShape shape;
  FalconAttention(Params p, const FalconConfig& c);
  Tensor operator()(const Tensor& x, const FalconPlaces& places, LayerRun run) const;
};

struct FalconBlock {
  std::string path;
  FalconAttention self_attention;
  Linear dense_h_to_4h, dense_4h_to_h;
  LayerNorm norm;                     // before attention
  std::optional<LayerNorm> mlp_norm;  // before the feed-forward, where it has one of its own
  FalconConfig::Block kind;
  Activation activation;
  double attn_drop, hidden_drop;
  FalconBlock(Params p, const FalconConfig& c);
  Tensor operator()(const Tensor& x, const FalconPlaces& places, LayerRun run) const;  // [B, T, C]
  Tensor mlp(const Tensor& x, LayerRun run) const;
};

struct Falcon {
  FalconConfig config;
  Embedding word_embeddings;
  std::optional<RotaryPositions> rotary;
  Tensor slopes, lines;  // ALiBi's: [heads]; [1, heads, places]
  std::vector<FalconBlock> h;
  LayerNorm ln_f;
  Falcon(Params p, const FalconConfig& c);
  Tensor operator()(const Tensor& ids, Run& run) const;  // [B, T] -> [B, T, C], before ln_f
  const Tensor& table() const { return word_embeddings.weight; }
  const LayerNorm& last_norm() const { return ln_f; }

 private:
  FalconPlaces places(const Tensor& ids, Run& run) const;
};

}  // namespace jogak
