// BERT: an encoder with learned positions and token types, norm after each sub-layer, and on top
// whichever head the directory has (models/encoders/bert_heads.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/encoders/bert_heads.h"
#include "nn/attention.h"
#include "nn/relative_bias.h"

namespace jogak {

struct BertEmbeddings {
  std::string path;
  Tensor word_embeddings, position_embeddings;
  Tensor token_type_embeddings;  // undefined where the model knows none
  LayerNorm norm;
  BertEmbeddings(Params p, const BertConfig& c);
  // [B, T] -> [B, T, table_width]
  Tensor operator()(const EncoderInput& input, const BertConfig& c, Run& run) const;
};

struct BertLayer {
  std::string path;
  SelfAttention attention;
  LayerNorm attention_norm;
  FeedForward mlp;
  LayerNorm output_norm;
  double dropout;
  BertLayer(Params p, const BertConfig& c);
  // [B, T, C] -> [B, T, C]; `distances` as AttentionMask has them.
  Tensor operator()(Tensor x, const Tensor& mask, const Tensor& distances, LayerRun run) const;
};

struct BertTrunk {
  BertEmbeddings embeddings;
  std::optional<Linear> embeddings_project;  // where the tables are of another width
  std::vector<BertLayer> layer;
  std::optional<RelativeBias> relative;  // one for all layers
  BertTrunk(Params p, const BertConfig& c);
};

struct Bert : BertTrunk, BertHeads {
  Bert(Params p, const BertConfig& c)
      : BertTrunk(p, c), BertHeads(p, c, embeddings.word_embeddings) {}
  Tensor hidden(const EncoderInput& input, Run& run) const;  // [B, T] -> [B, T, C]
};

// Of a family of its kin: C is a BertConfig with a table of its own.
template <class C>
struct BertOf : Bert {
  C config;
  BertOf(Params p, const C& c) : Bert(p, c), config(c) {}
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const Bert> bert);

}  // namespace jogak
