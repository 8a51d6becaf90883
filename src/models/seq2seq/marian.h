// The encoder-decoder of 2017, as Hugging Face calls it: `marian`. Sinusoidal positions, norm after
// each sub-layer, a decoder that reads the encoder through cross-attention. Its kin, BART, mBART
// and M2M100, differ in positions and in where norms stand, and say so in files of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/seq2seq/seq2seq_parts.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct MarianConfig {
  struct Side {
    int64_t layers = 12, heads = 16, inner = 4096;
    double layer_drop = 0;  // how often a whole layer is left out in training
  };
  enum class Places : uint8_t {
    sines,
    learned,  // two rows of the table are for nothing
    counted,  // sines; tokens count from pad + 1, padding not
  };
  Side encoder, decoder;
  int64_t vocab = 58101, decoder_vocab = 58101, context = 1024, width = 1024;
  double dropout = 0.1, attention_drop = 0, activation_drop = 0;
  Activation activation = Activation::gelu;
  bool scale_embedding = false;  // by sqrt(width)
  bool share_embeddings = true;  // one table for both sides
  bool tied = true;              // the head is the decoder's table
  int64_t pad = 58100, start = 58100, end = 0;

  const char* name = "marian";  // for errors
  Places places = Places::sines;
  bool norms_first = false;     // before each sub-layer, and one behind the last layer
  bool embedding_norm = false;  // of the sum of a token's vector and its position's
  bool logits_bias = true;      // the file has final_logits_bias
  bool forces_end = true;       // config.json says forced_eos_token_id

  static const ConfigTable<MarianConfig>& table();
  ModelOutline outline() const;
};

struct MarianFeedForward {
  Linear fc1, fc2;
  Activation activation;
  double activation_drop;
  MarianFeedForward(Params p, const MarianConfig& c, int64_t inner);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

struct MarianEncoderLayer {
  std::string path;
  SelfAttention self_attn;
  LayerNorm self_attn_layer_norm;
  MarianFeedForward ffn;
  LayerNorm final_layer_norm;
  double dropout;
  bool norms_first;
  MarianEncoderLayer(Params p, const MarianConfig& c);
  Tensor operator()(Tensor x, const Tensor& mask, LayerRun run) const;  // [B, S, C] -> [B, S, C]
};

struct MarianDecoderLayer {
  std::string path;
  SelfAttention self_attn;
  LayerNorm self_attn_layer_norm;
  CrossAttention encoder_attn;
  LayerNorm encoder_attn_layer_norm;
  MarianFeedForward ffn;
  LayerNorm final_layer_norm;
  double dropout;
  bool norms_first;
  MarianDecoderLayer(Params p, const MarianConfig& c);
  // Memory [B, S, C] and its mask; both undefined when run.sources has them.
  Tensor operator()(Tensor x, const Tensor& memory, const Tensor& mask, LayerRun run) const;
};

// What one side has besides its layers.
struct MarianSide {
  Tensor table;      // [V, C], both sides' when shared
  Tensor positions;  // [context or a little more, C]; sines are never trained
  std::optional<LayerNorm> layernorm_embedding, layer_norm;  // the second behind the last layer
};

struct Marian {
  MarianConfig config;
  DType values;  // what modules compute with
  MarianSide source, target;
  std::vector<MarianEncoderLayer> encoder;
  std::vector<MarianDecoderLayer> decoder;
  Weight lm_head;
  Tensor final_logits_bias;  // [1, V], a constant
  bool biased = false;       // somewhere it is not 0
  Marian(Params p, const MarianConfig& c);

  Tensor encode(const Source& source, Run& run) const;  // [B, S] -> [B, S, C]
  // [B, T] -> [B, T, C]. A mask of the target comes with the run: key_mask.
  Tensor hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const;
  Tensor logits(const Tensor& hidden) const;  // [B, T, C] -> [B, T, V]
  // As if a layer were the last.
  Tensor read(const Tensor& x) const {
    return logits(target.layer_norm ? (*target.layer_norm)(x) : x);
  }
  Tensor loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const;

  const Tensor& table() const { return target.table; }
  const CrossAttention& cross(int64_t layer) const {
    return decoder[static_cast<size_t>(layer)].encoder_attn;
  }
};

// Kin: C is a MarianConfig with a table of its own.
template <class C>
struct MarianOf : Marian {
  C config;
  MarianOf(Params p, const C& c) : Marian(p, c), config(c) {}
};

}  // namespace jogak
