// ViT: an image cut into patches, each a token; a class token before them, learned positions, norm
// before each sub-layer, and a head that reads the class token.
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

enum class VitHead : uint8_t {
  by_tensors,  // the configuration names none: what the file has
  none,        // ViTModel
  classes,     // ViTForImageClassification
};

struct VitConfig {
  struct Size {
    int64_t height = 0, width = 0;
  };
  Size image = {224, 224}, patch = {16, 16};
  int64_t channels = 3, width = 768, layers = 12, heads = 12, inner = 3072;
  double dropout = 0, attention_drop = 0, eps = 1e-12, init = 0.02;
  Activation activation = Activation::gelu;
  bool qkv_bias = true;
  int64_t pooler_width = 768;
  Activation pooler_activation = Activation::tanh;
  VitHead head = VitHead::by_tensors;
  Labels labels = {};

  Size grid() const { return {image.height / patch.height, image.width / patch.width}; }

  static const ConfigTable<VitConfig>& table();
  ModelOutline outline() const;
};

struct VitEmbeddings {
  std::string path;
  Tensor cls_token, position_embeddings;  // [1, 1, C], [1, 1 + patches, C]
  Tensor weight, bias;                    // of the patches: [C, channels, height, width], [C]
  VitEmbeddings(Params p, const VitConfig& c);
  Tensor operator()(const Tensor& pixels, const VitConfig& c,
                    Run& run) const;  // [B, 1 + patches, C]
};

struct VitLayer {
  std::string path;
  LayerNorm layernorm_before;
  Linear qkv, out;
  AttentionShape shape;
  LayerNorm layernorm_after;
  FeedForward mlp;
  double dropout;
  VitLayer(Params p, const VitConfig& c);
  Tensor operator()(Tensor x, LayerRun run) const;  // [B, T, C] -> [B, T, C]
};

struct Vit {
  VitConfig config;  // head is what it is, never by_tensors
  VitEmbeddings embeddings;
  std::vector<VitLayer> layer;
  LayerNorm layernorm;
  std::optional<Linear> pooler, classifier;
  Vit(Params p, const VitConfig& c);

  // Pixels [B, channels, H, W] of any size that holds a patch -> [B, 1 + patches, C].
  Tensor hidden(const Tensor& pixels, Run& run) const;
  Tensor pooled(const Tensor& hidden) const;  // [B, T, C] -> [B, pooler_width]
  Tensor logits(const Tensor& hidden) const;  // [B, T, C] -> [B, labels]
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const Vit> vit);

}  // namespace jogak
