// The decoder that LLaMA made usual: rotary positions, RMS norms, query heads that share key heads,
// a gated feed-forward. Families after it differ in where their norms stand, in what a layer may
// see, and in names; each says so in its own file, NAME_hf.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct RotaryDecoderConfig {
  enum class Norms : uint8_t {  // of a sub-layer
    before,
    after,  // of what it made, before that joins the stream
    both,
  };
  enum class HeadNorms : uint8_t {  // of queries and keys, before they rotate
    none,
    each,      // every head by itself, with the same gains
    together,  // all heads side by side
  };
  struct Layer {
    bool local = false;   // sees `window` tokens
    bool rotates = true;  // false: knows no positions
  };

  int64_t vocab = 32000, context = 2048, width = 4096, inner = 11008, layers = 32;
  int64_t heads = 32, kv_heads = 32, head = 128;  // head: width of one
  double eps = 1e-6, init = 0.02;
  double attn_drop = 0, embd_drop = 0, resid_drop = 0;
  Activation activation = Activation::silu;  // of the gate
  bool qkv_bias = false, out_bias = false, mlp_bias = false;
  bool tied = false;  // the head is embed_tokens
  int64_t pad = -1;   // a token whose embedding is never trained; -1: none
  RopeConfig rope = {};

  Norms norms = Norms::before;
  HeadNorms head_norms = HeadNorms::none;
  bool gains_less_one = false;          // norms keep their gains less 1
  bool fused = false;                   // qkv_proj and gate_up_proj are one matrix each in the file
  bool scale_embedding = false;         // by sqrt(width)
  double score_scale = 0;               // 0: 1 / sqrt(head)
  double score_cap = 0, logit_cap = 0;  // 0: none
  int64_t window = 0;                   // of local layers
  int64_t experts = 0, chosen = 0;      // feed-forwards of a layer, and how many a token goes to
  double balance = 0;  // of the loss of experts that are asked unevenly; 0: not part of the loss
  std::vector<Layer> kinds = {};              // of each layer; empty: none is local, all rotate
  std::optional<RopeConfig> local_rope = {};  // where local layers rotate otherwise

  Layer kind(int64_t layer) const {
    return kinds.empty() ? Layer{} : kinds[static_cast<size_t>(layer)];
  }
  ModelOutline outline() const;
};

struct RotaryAttention {
  Linear qkv, o_proj;  // q_proj, k_proj and v_proj as one
  std::optional<RmsNorm> q_norm, k_norm;
  AttentionShape shape;
  int64_t window;
  RotaryAttention(Params p, const RotaryDecoderConfig& c, int64_t layer);
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run) const;

 private:
  Tensor normed(const Tensor& all, LayerRun run) const;
};

struct GatedMlp {
  Linear gate_up, down_proj;  // gate_proj and up_proj as one
  Activation activation;
  GatedMlp(Params p, const RotaryDecoderConfig& c);
  Tensor inside(const Tensor& x, LayerRun run) const;  // act(gate(x)) * up(x)
  Tensor apply(const Tensor& x, LayerRun run) const { return down_proj(inside(x, run), run); }
  Tensor operator()(const Tensor& x, LayerRun run) const {
    return run.pass(Part::ffn, {}, x, apply(x, run));
  }
};

// Several of them, of which a router chooses a few for each token.
struct MixtureOfExperts {
  Linear gate;
  std::vector<GatedMlp> experts;
  int64_t chosen;
  MixtureOfExperts(Params p, const RotaryDecoderConfig& c);
  // {what they made, the router's logits [B, T, experts]}
  std::pair<Tensor, Tensor> operator()(const Tensor& x, LayerRun run) const;
};

struct RotaryBlock {
  std::string path;
  std::optional<RmsNorm> before_attn, after_attn, before_mlp, after_mlp;
  RotaryAttention self_attn;
  std::optional<GatedMlp> mlp;  // or
  std::optional<MixtureOfExperts> mixture;
  RotaryDecoderConfig::Layer kind;
  double resid_drop;
  RotaryBlock(Params p, const RotaryDecoderConfig& c, int64_t layer);
  // [B, T, C]; with `routed` the router's logits behind: [B, T, C + experts].
  Tensor operator()(const Tensor& x, const Tensor& turns, LayerRun run, bool routed = false) const;
};

struct RotaryDecoder {
  Embedding embed_tokens;
  RotaryPositions rotary;
  std::optional<RotaryPositions> local_rotary;
  std::vector<RotaryBlock> layers;
  RmsNorm norm;
  RotaryDecoder(Params p, const RotaryDecoderConfig& c);
  const Tensor& table() const { return embed_tokens.weight; }
  const RmsNorm& last_norm() const { return norm; }
  // [B, T] -> [B, T, C], before norm. The routers' logits of all layers go to `routes`.
  Tensor forward(const Tensor& ids, const RotaryDecoderConfig& c, Run& run,
                 std::vector<Tensor>* routes = nullptr) const;
};

// A family's: C is a RotaryDecoderConfig with a table of its own.
template <class C>
struct RotaryDecoderOf : RotaryDecoder {
  C config;
  RotaryDecoderOf(Params p, const C& c) : RotaryDecoder(p, c), config(c) {}
  Tensor operator()(const Tensor& ids, Run& run, std::vector<Tensor>* routes = nullptr) const {
    return forward(ids, config, run, routes);
  }
};

}  // namespace jogak
