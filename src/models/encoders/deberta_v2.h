// DeBERTa v2 and v3: BERT with disentangled attention, whose tokens may know their places only by
// how far they stand from each other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/encoders/bert_heads.h"
#include "models/encoders/disentangled.h"

namespace jogak {

struct DebertaV2Config : BertConfig {
  bool relative = false;          // distances are looked at
  bool c2p = false, p2c = false;  // see DisentangledConfig
  bool shared = false, norm_distances = false, places_in_input = true;
  int64_t max_distance = -1, buckets = -1;  // below 1: the positions; none
  bool legacy = true;  // the masked head is BERT's; else DeBERTa's own, which differs in its names
  int64_t conv_kernel = 0, conv_groups = 1;  // of a convolution beside the first layer; 0: none
  Activation conv_activation = Activation::tanh;
  DebertaV2Config();
  RelativePlaces places() const;

  static const ConfigTable<DebertaV2Config>& table();
  ModelOutline outline() const;
};

struct DebertaV2Embeddings {
  std::string path;
  Tensor word_embeddings;
  Tensor position_embeddings, token_type_embeddings;  // undefined where there are none
  std::optional<Linear> embed_proj;                   // where the tables are of another width
  LayerNorm norm;
  DebertaV2Embeddings(Params p, const DebertaV2Config& c);
  // Padding is a vector of zeros. [B, T] -> [B, T, C]
  Tensor operator()(const EncoderInput& input, const DebertaV2Config& c, Run& run) const;
};

// What tokens beside each other say together joins what the first layer made of them.
struct DebertaV2Conv {
  Tensor weight, bias;  // [C, C / groups, kernel], [C]
  LayerNorm norm;
  int64_t groups;
  Activation activation;
  double dropout;
  DebertaV2Conv(Params p, const DebertaV2Config& c);
  // [B, T, C] before and after the layer -> [B, T, C]
  Tensor operator()(const Tensor& x, const Tensor& made, const Tensor& mask, LayerRun run) const;
};

struct DebertaV2Layer {
  std::string path;
  DisentangledAttention attention;
  LayerNorm attention_norm;
  FeedForward mlp;
  LayerNorm output_norm;
  double dropout;
  std::optional<DebertaV2Conv> conv;  // of the first
  DebertaV2Layer(Params p, const DebertaV2Config& c);
  Tensor operator()(Tensor x, const Tensor& distances, const Tensor& mask, LayerRun run) const;
};

struct DebertaV2Trunk {
  DebertaV2Embeddings embeddings;
  std::vector<DebertaV2Layer> layer;
  Tensor rel_embeddings;  // [2 distances, C]; undefined without
  std::optional<LayerNorm> rel_norm;
  DebertaV2Trunk(Params p, const DebertaV2Config& c);
};

struct DebertaV2 : DebertaV2Trunk, BertHeads {
  DebertaV2Config config;
  DebertaV2(Params p, const DebertaV2Config& c)
      : DebertaV2Trunk(p, c), BertHeads(p, c, embeddings.word_embeddings), config(c) {}
  Tensor hidden(const EncoderInput& input, Run& run) const;  // [B, T] -> [B, T, C]
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const DebertaV2> model);

}  // namespace jogak
