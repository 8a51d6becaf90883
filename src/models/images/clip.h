// CLIP: an image and a text, each through a Transformer of its own, become vectors of one space;
// what belongs together lies close. A label is then any sentence.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/model.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct ClipTower {
  int64_t width = 0, layers = 12, heads = 0, inner = 0;
  Activation activation = Activation::quick_gelu;
  double eps = 1e-5, attention_drop = 0, init = 0.02;
};

struct ClipTextConfig : ClipTower {
  int64_t vocab = 49408, context = 77, end = 49407;
  ClipTextConfig() { width = 512, heads = 8, inner = 2048; }
  static const ConfigTable<ClipTextConfig>& table();
};

struct ClipVisionConfig : ClipTower {
  int64_t channels = 3, image = 224, patch = 32;
  ClipVisionConfig() { width = 768, heads = 12, inner = 3072; }
  int64_t patches() const { return (image / patch) * (image / patch); }
  static const ConfigTable<ClipVisionConfig>& table();
};

struct ClipConfig {
  ClipTextConfig text;
  ClipVisionConfig vision;
  int64_t projection = 512;
  double logit_scale = 2.6592;  // what the factor's logarithm starts from

  static const ConfigTable<ClipConfig>& table();
  ModelOutline outline() const;  // of the side that sees
};

struct ClipLayer {
  std::string path;
  LayerNorm layer_norm1;
  SelfAttention self_attn;
  LayerNorm layer_norm2;
  FeedForward mlp;
  const char* seen;  // how a probe calls its weights
  ClipLayer(Params p, const ClipTower& c, const char* attentions);
  Tensor operator()(Tensor x, const AttentionMask& mask, LayerRun run) const;
};

struct ClipText {
  ClipTextConfig config;
  Embedding token_embedding, position_embedding;
  std::vector<ClipLayer> layers;
  LayerNorm final_layer_norm;
  ClipText(Params p, const ClipTextConfig& c);
  Tensor hidden(const Tensor& ids, const Tensor& mask, Run& run) const;  // [N, T] -> [N, T, C]
  Tensor pooled(const Tensor& ids, const Tensor& hidden) const;          // at the end: [N, C]
};

struct ClipVision {
  ClipVisionConfig config;
  std::string path;
  Tensor class_embedding, patch_weight;  // [C], [C, channels, patch, patch]
  Tensor position_embedding;             // [1 + patches, C]
  LayerNorm pre_layrnorm;                // as the file spells it
  std::vector<ClipLayer> layers;
  LayerNorm post_layernorm;
  ClipVision(Params p, const ClipVisionConfig& c);
  Tensor hidden(const Tensor& pixels, Run& run) const;  // [B, 1 + patches, C]
  Tensor pooled(const Tensor& hidden) const;            // [B, C]
};

struct Clip {
  ClipConfig config;
  ClipText text_model;
  ClipVision vision_model;
  Linear visual_projection, text_projection;
  Tensor logit_scale;  // []
  Clip(Params p, const ClipConfig& c);

  Tensor image_vectors(const Tensor& pixels, Run& run) const;                  // [B, D]
  Tensor text_vectors(const Tensor& ids, const Tensor& mask, Run& run) const;  // [N, D]
  Tensor logits_per_image(const Tensor& images, const Tensor& texts) const;    // [B, N]
};

EncoderModel encoder_of(std::shared_ptr<const Clip> clip);  // the side that sees
MatchModel match_of(std::shared_ptr<const Clip> clip);

}  // namespace jogak
