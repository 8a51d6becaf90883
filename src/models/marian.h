// The encoder-decoder of 2017, as Hugging Face calls it: `marian`. Sinusoidal positions, norm after
// each sub-layer, a decoder that reads the encoder through cross-attention.
#pragma once

#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"
#include "nn/seq2seq_model.h"

namespace jogak {

struct MarianConfig {
  struct Side {
    int64_t layers = 12, heads = 16, inner = 4096;
    double layer_drop = 0;  // how often a whole layer is left out in training
  };
  Side encoder, decoder;
  int64_t vocab = 58101, decoder_vocab = 58101, context = 1024, width = 1024;
  double dropout = 0.1, attention_drop = 0, activation_drop = 0;
  Activation activation = Activation::gelu;
  bool scale_embedding = false;  // by sqrt(width)
  bool share_embeddings = true;  // one table for both sides
  bool tied = true;              // the head is the decoder's table
  int64_t pad = 58100, start = 58100, end = 0;

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
  MarianDecoderLayer(Params p, const MarianConfig& c);
  // Memory [B, S, C] and its mask; both undefined when run.sources has them.
  Tensor operator()(Tensor x, const Tensor& memory, const Tensor& mask, LayerRun run) const;
};

struct Marian {
  MarianConfig config;
  Tensor source_table, target_table;          // the same one when shared
  Tensor source_positions, target_positions;  // [context, C], sines that are never trained
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
  Tensor loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const;
  std::vector<int> remember(const Tensor& memory, const std::vector<int64_t>& lengths,
                            KvCache& sources) const;
};

// The model behind the functions that training and translating call.
Seq2SeqModel seq2seq_of(std::shared_ptr<const Marian> marian);

}  // namespace jogak
