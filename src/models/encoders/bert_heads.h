// What stands on top of BERT and its kin, by the directory: masked words, a label for the text, one
// for each token, where an answer begins and ends, which tokens were replaced, or nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/model_outline.h"
#include "nn/config_table.h"
#include "nn/encoder_model.h"
#include "nn/modules.h"

namespace jogak {

enum class BertHead : uint8_t {
  by_tensors,     // the configuration names none: what the file has
  none,           // BertModel
  masked,         // BertForMaskedLM
  pretraining,    // BertForPreTraining: masked words and the next sentence
  next_sentence,  // BertForNextSentencePrediction
  sequence,       // BertForSequenceClassification
  tokens,         // BertForTokenClassification
  spans,          // BertForQuestionAnswering
  replaced,       // ElectraForPreTraining
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
  int64_t embedding = 0;  // width of the tables; 0: as the layers
  int64_t buckets = 0;    // kinds of distances that scores know; 0: none
  double dropout = 0.1, attention_drop = 0.1, eps = 1e-12, init = 0.02;
  std::optional<double> classifier_drop = {};  // not said: as dropout
  std::optional<double> first_drop = {};       // of the first token; not said: as classifier_drop
  double span_drop = 0;                        // before what reads where answers stand
  Activation activation = Activation::gelu;
  int64_t pad = 0;   // its row of the table does not learn; -1: no such token
  bool tied = true;  // the masked head's matrix is the table
  BertHead head = BertHead::by_tensors;
  Labels labels = {};
  BertStyle style = {};
  // How many tokens a text may have.
  int64_t longest() const { return style.places_after_pad ? context - pad - 1 : context; }
  int64_t table_width() const { return embedding > 0 ? embedding : width; }

  static const ConfigTable<BertConfig>& table();
  ModelOutline outline() const;
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

// ELECTRA's: whether a token stands where another stood.
struct BertDetector {
  Linear dense, dense_prediction;
  Activation activation;
  BertDetector(Params p, const BertConfig& c);
  Tensor operator()(const Tensor& x) const;  // [.., C] -> [..]
};

struct BertHeads {
  BertConfig config;                  // head is what it is, never by_tensors
  std::optional<Linear> pooler;       // made where the head needs it or the file has it
  std::optional<Linear> label_dense;  // in place of it, where the style says so
  std::optional<BertMaskedHead> predictions;
  std::optional<BertDetector> detector;
  std::optional<Linear> seq_relationship, classifier, qa_outputs;
  BertHeads(Params p, const BertConfig& c, const Tensor& table);

  Tensor pooled(const Tensor& hidden) const;                  // [B, T, C] -> [B, C]
  Tensor label_logits(const Tensor& hidden, Run& run) const;  // [B, T, C] -> [B, labels]
  // What the head says of the last hidden states: [B, T, V], [B, labels], [B, T, labels], of
  // answers [B, T, 2], of replaced tokens [B, T]. Of pretraining it is the masked words;
  // next_sentence() has the rest.
  Tensor logits(const Tensor& hidden, Run& run) const;
  Tensor next_sentence(const Tensor& hidden) const;  // [B, T, C] -> [B, 2]
};

// A model with such a head behind the functions that training and the commands call; `hidden` is
// what its layers make.
EncoderModel encoder_with(std::shared_ptr<const BertHeads> heads,
                          std::function<Tensor(const EncoderInput& input, Run& run)> hidden);

}  // namespace jogak
