// ModernBERT: an encoder with rotary positions, layers that see a window and now and then all of
// the text, norm before each sub-layer, a gated feed-forward, and almost no biases.
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

enum class ModernBertHead : uint8_t {
  by_tensors,  // the configuration names none: what the file has
  none,        // ModernBertModel
  masked,      // ModernBertForMaskedLM
  sequence,    // ModernBertForSequenceClassification
  tokens,      // ModernBertForTokenClassification
  spans,       // ModernBertForQuestionAnswering
};

struct ModernBertConfig {
  struct Layer {
    bool local = false;  // sees half a window to either side
  };
  int64_t vocab = 50368, context = 8192, width = 768, inner = 1152, layers = 22, heads = 12;
  double eps = 1e-5, init = 0.02;
  double attention_drop = 0, embedding_drop = 0, mlp_drop = 0, classifier_drop = 0;
  Activation activation = Activation::gelu, classifier_activation = Activation::gelu;
  bool norm_bias = false, attention_bias = false, mlp_bias = false;
  bool decoder_bias = true, classifier_bias = false, tied = true;
  bool pools_mean = false;  // a label is of all tokens, not of the first
  int64_t pad = -1;         // its row of the table does not learn; -1: no such token
  int64_t window = 128;     // of local layers, both sides together
  std::vector<Layer> kinds = {};
  RopeConfig rope = {}, local_rope = {};
  ModernBertHead head = ModernBertHead::by_tensors;
  Labels labels = {};

  Layer kind(int64_t layer) const { return kinds[static_cast<size_t>(layer)]; }
  static const ConfigTable<ModernBertConfig>& table();
  ModelOutline outline() const;
};

struct ModernBertLayer {
  std::string path;
  std::optional<LayerNorm> attn_norm;  // the first layer reads what is normed already
  Linear qkv, out;
  AttentionShape shape;
  LayerNorm mlp_norm;
  Linear up, down;
  Activation activation;
  bool local;
  int64_t window;
  double attention_drop, mlp_drop;
  ModernBertLayer(Params p, const ModernBertConfig& c, int64_t layer);
  // `turns`: by how much the heads rotate; `mask`: false for padding.
  Tensor operator()(const Tensor& x, const Tensor& turns, const Tensor& mask, LayerRun run) const;
};

// What stands between the last norm and words or labels: dense, activation, norm.
struct ModernBertTransform {
  Linear dense;
  LayerNorm norm;
  Activation activation;
  ModernBertTransform(Params p, const ModernBertConfig& c);
  Tensor operator()(const Tensor& x) const { return norm(dense(x, activation)); }
};

struct ModernBert {
  ModernBertConfig config;  // head is what it is, never by_tensors
  Tensor tok_embeddings;
  LayerNorm embedding_norm;
  RotaryPositions rotary, local_rotary;
  std::vector<ModernBertLayer> layers;
  LayerNorm final_norm;
  std::optional<ModernBertTransform> transform;
  Weight decoder;
  Tensor decoder_bias;
  std::optional<Linear> classifier;
  ModernBert(Params p, const ModernBertConfig& c);

  Tensor hidden(const EncoderInput& input, Run& run) const;  // [B, T] -> [B, T, C]
  // What the head says of the last hidden states; the mask tells the tokens of a mean.
  Tensor logits(const Tensor& hidden, const Tensor& mask, Run& run) const;
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const ModernBert> model);

}  // namespace jogak
