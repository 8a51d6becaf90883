// BERT: an encoder with learned positions and token types, norm after each sub-layer, and on top
// whichever head the directory has: masked words, a label for the text, one for each token, none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"
#include "nn/encoder_model.h"

namespace jogak {

enum class BertHead : uint8_t {
  by_tensors,     // the configuration names none: what the file has
  none,           // BertModel
  masked,         // BertForMaskedLM
  pretraining,    // BertForPreTraining: masked words and the next sentence
  next_sentence,  // BertForNextSentencePrediction
  sequence,       // BertForSequenceClassification
  tokens,         // BertForTokenClassification
};

// What BERT and its kin call their parts, and how they differ.
struct BertStyle {
  const char *name = "bert", *title = "BERT";
  const char* layers = "encoder.layer";
  // Of a layer.
  const char* attention = "attention.self";  // has the three below
  const char *query = "query", *key = "key", *value = "value";
  const char* attention_out = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char *up = "intermediate.dense", *down = "output.dense", *output_norm = "output.LayerNorm";
  // Of the head for masked words; `bias` has its bias beside that of the decoder.
  const char* transform = "cls.predictions.transform.dense";
  const char* transform_norm = "cls.predictions.transform.LayerNorm";
  const char *decoder = "cls.predictions.decoder", *bias = "cls.predictions";
  Activation transform_activation = Activation::none;  // none: the configuration's
  // Of the head for a label of the text: what reads the first token, and what follows.
  const char* label_dense = nullptr;  // null: the pooler
  Activation label_activation = Activation::tanh;
  bool drop_first = false;  // before it reads, too
  const char* labels = "classifier";
  bool pools = true;              // a fresh model without a head has a pooler
  bool places_after_pad = false;  // tokens are counted from pad + 1, padding not
};

struct BertConfig {
  int64_t vocab = 30522, context = 512, types = 2, width = 768, layers = 12, heads = 12;
  int64_t inner = 3072;
  double dropout = 0.1, attention_drop = 0.1, eps = 1e-12, init = 0.02;
  std::optional<double> classifier_drop = {};  // not said: as dropout
  Activation activation = Activation::gelu;
  int64_t pad = 0;   // its row of the table does not learn; -1: no such token
  bool tied = true;  // the masked head's matrix is the table
  BertHead head = BertHead::by_tensors;
  Labels labels = {};
  BertStyle style = {};
  // How many tokens a text may have.
  int64_t longest() const { return style.places_after_pad ? context - pad - 1 : context; }

  static const ConfigTable<BertConfig>& table();
  ModelOutline outline() const;
};

struct BertEmbeddings {
  std::string path;
  Tensor word_embeddings, position_embeddings;
  Tensor token_type_embeddings;  // undefined where the model knows none
  LayerNorm norm;
  BertEmbeddings(Params p, const BertConfig& c);
  // [B, T] -> [B, T, C]
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
  Tensor operator()(Tensor x, const Tensor& mask, LayerRun run) const;  // [B, T, C] -> [B, T, C]
};

struct BertMaskedHead {
  Linear dense;
  LayerNorm norm;
  Weight decoder;
  Tensor bias;
  Activation activation;
  BertMaskedHead(Params p, const BertConfig& c, const Tensor& table);
  Tensor operator()(const Tensor& x) const;  // [.., C] -> [.., V]
};

struct Bert {
  BertConfig config;  // head is what it is, never by_tensors
  BertEmbeddings embeddings;
  std::vector<BertLayer> layer;
  std::optional<Linear> pooler;       // made where the head needs it or the file has it
  std::optional<Linear> label_dense;  // in place of it, where the style says so
  std::optional<BertMaskedHead> predictions;
  std::optional<Linear> seq_relationship, classifier;
  Bert(Params p, const BertConfig& c);

  Tensor hidden(const EncoderInput& input, Run& run) const;   // [B, T] -> [B, T, C]
  Tensor pooled(const Tensor& hidden) const;                  // [B, T, C] -> [B, C]
  Tensor label_logits(const Tensor& hidden, Run& run) const;  // [B, T, C] -> [B, labels]
  // What the head says of the last hidden states: [B, T, V], [B, labels] or [B, T, labels]. Of
  // pretraining it is the masked words; next_sentence() has the rest.
  Tensor logits(const Tensor& hidden, Run& run) const;
  Tensor next_sentence(const Tensor& hidden) const;  // [B, T, C] -> [B, 2]
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
