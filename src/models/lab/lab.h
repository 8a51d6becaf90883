// The laboratory: a Transformer of which every part is a choice of its configuration. The families
// around it are single points of this space; here is what they have in common. docs/lab.md lists
// the keys.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"
#include "nn/relative_bias.h"
#include "nn/rope.h"
#include "nn/seq2seq_model.h"

namespace jogak {

struct LabConfig {
  using Wiring = ModelOutline::Wiring;
  enum class Mixer : uint8_t { attention, gru, gru_attention };  // the last two: gru.h
  enum class Positions : uint8_t { sinusoidal, learned, rope, alibi, relative, index, none };
  enum class Norm : uint8_t { layer, rms, batch, none };
  enum class Bend : uint8_t { relu, gelu, silu, swiglu, none };

  Wiring wiring = Wiring::encoder_decoder;
  Mixer mixer = Mixer::attention;
  int64_t vocab = 8000, decoder_vocab = 8000, width = 128;
  int64_t encoder_layers = 2, decoder_layers = 2;
  int64_t heads = 4, kv_heads = 4;  // of queries; of keys and values
  int64_t key = 32, value = 32;     // d_k and d_v: widths of one head
  int64_t inner = 512;              // of the feed-forward
  int64_t context = 512;            // rows of a learned table; what the others were made for
  int64_t gru_width = 0;            // 0: as wide as gives the Transformer's number of parameters
  Positions positions = Positions::sinusoidal;
  bool concatenate = false;  // positions stand beside the vectors and are projected, not added
  Norm norm = Norm::layer;
  bool norm_first = false;  // before each sub-layer, and one behind the last layer
  Bend feed_forward = Bend::relu;
  bool qkv_bias = true, one_matrix = false;  // one_matrix: queries, keys and values are the same
  bool cross_same = false;                   // layer i reads layer i of the encoder, not the last
  bool scaled = true, residual = true, masked = true;  // by 1 / sqrt(d_k); x + f(x); causal
  bool scale_embedding = true;                         // by sqrt(width), as in 2017
  bool small_start = true;  // what is added to the stream starts smaller by 1 / sqrt(its sums)
  bool share_embeddings = true, tied = true;  // both sides' tables; the head is the target's
  double embedding_drop = 0, attention_drop = 0, residual_drop = 0, inner_drop = 0, eps = 1e-5;
  int64_t pad = 0, start = 0, end = 0;
  Labels labels = {};  // of an encoder that classifies
  bool classifies = false;

  bool reads() const { return wiring != Wiring::decoder; }
  bool writes() const { return wiring != Wiring::encoder; }
  static const ConfigTable<LabConfig>& table();
  ModelOutline outline() const;
};

struct LabNorm {
  std::variant<std::monostate, LayerNorm, RmsNorm, BatchNorm> kind;
  LabNorm(Params p, const LabConfig& c);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

// What tells the tokens of one side where they stand. Vectors join the stream once; a rotation or a
// number for each distance works inside of every attention.
struct LabPositions {
  LabConfig config;
  std::optional<Embedding> table;
  std::optional<RotaryPositions> rotary;
  std::optional<RelativeBias> relative;
  std::optional<Linear> join;  // [x, position] -> x, where they are concatenated
  Tensor sines;
  DType values;  // what the layers compute with
  LabPositions(Params p, const LabConfig& c, bool both_ways, Device& device);
  Tensor join_to(const Tensor& x, const Tensor& ids, LayerRun run) const;  // [B, T, C]
  Tensor turns(const Tensor& ids, LayerRun run) const;      // for ops/rope.h, or undefined
  Tensor distances(const Tensor& ids, LayerRun run) const;  // of AttentionMask, or undefined

 private:
  Tensor vectors(const Tensor& ids, LayerRun run) const;  // [T or B, T, C or 1], or undefined
};

struct LabAttention {
  Linear qkv, out;
  AttentionShape shape;
  bool one_matrix;
  LabAttention(Params p, const LabConfig& c);
  Tensor operator()(const Tensor& x, const Tensor& turns, const AttentionMask& mask, LayerRun run,
                    const char* name) const;
};

struct LabCrossAttention {
  Linear q;
  std::optional<Linear> both;  // keys and values; without it q makes them, too
  Linear out;
  AttentionShape shape;
  int64_t first, width;  // columns of the memory it reads
  LabCrossAttention(Params p, const LabConfig& c, int64_t layer);
  Tensor kv(const Tensor& memory) const;  // [B, S, columns] -> [B, S, kv_heads (d_k + d_v)]
  Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor& mask, LayerRun run) const;
};

struct LabFeedForward {
  Linear up, down;  // up: gate and up as one where it is gated
  LabConfig::Bend kind;
  double dropout;
  LabFeedForward(Params p, const LabConfig& c);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

struct LabLayer {
  std::string path;
  bool norm_first, residual, decodes, causal;
  double dropout;
  LabAttention self_attn;
  LabNorm self_attn_norm;
  std::optional<LabCrossAttention> cross_attn;
  std::optional<LabNorm> cross_attn_norm;
  std::optional<LabFeedForward> ffn;
  std::optional<LabNorm> ffn_norm;
  LabLayer(Params p, const LabConfig& c, bool decodes_text, int64_t layer);

  // What a layer reads beside the stream.
  struct Beside {
    Tensor memory = {}, mask = {};  // mask: of the memory, or of an encoder's own tokens
    Tensor distances = {}, turns = {};
  };
  Tensor operator()(Tensor x, const Beside& beside, LayerRun run) const;  // [B, T, C] -> [B, T, C]

 private:
  template <class SubLayer>
  Tensor around(const LabNorm& norm, const Tensor& x, LayerRun run, SubLayer sub_layer) const;
};

// A stack of layers over words and their positions.
struct LabSide {
  std::string path;
  Embedding embed_tokens;
  LabPositions positions;
  std::vector<LabLayer> layers;
  std::optional<LabNorm> norm;  // behind the last layer
  double scale, dropout;        // of the words' vectors
  LabSide(Params p, const Embedding& words, const LabConfig& c, bool decodes);
  // [B, T] -> [B, T, C]; `each` gets what every layer made.
  Tensor operator()(const Tensor& ids, const LabLayer::Beside& given, LayerRun here,
                    std::vector<Tensor>* each = nullptr) const;
  Tensor last_norm(const Tensor& x, LayerRun run) const;
};

struct Lab {
  LabConfig config;
  std::optional<LabSide> encoder, decoder;
  Weight lm_head;
  std::optional<Linear> classifier;
  Lab(Params p, const LabConfig& c);

  // [B, S] -> [B, S, C]; the results of all layers side by side where layers read their like.
  Tensor encode(const Source& source, Run& run) const;
  // [B, T] -> [B, T, C]. A mask of the target comes with the run: key_mask.
  Tensor hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const;
  Tensor logits(const Tensor& hidden) const;                            // [B, T, C] -> [B, T, V]
  Tensor label_logits(const Tensor& hidden, const Tensor& mask) const;  // -> [B, labels]
  Tensor read(const Tensor& x) const;  // as if a layer were the last
  Tensor loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const;

  const LabSide& main() const { return decoder ? *decoder : *encoder; }
  const Tensor& table() const { return main().embed_tokens.weight; }
  const LabCrossAttention& cross(int64_t layer) const {
    return *decoder->layers[static_cast<size_t>(layer)].cross_attn;
  }
  int64_t longest() const;  // text there are positions for
};

}  // namespace jogak
