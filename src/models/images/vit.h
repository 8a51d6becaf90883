// ViT: an image cut into patches, each a token; a class token before them, learned positions, norm
// before each sub-layer, and a head that reads the class token. Its kin, DeiT and DINOv2, differ as
// VitStyle says.
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
  taught,      // DeiTForImageClassificationWithTeacher: the mean of two heads
};

// What ViT and its kin call their parts, and how they differ.
struct VitStyle {
  const char* name = "vit";
  const char *before = "layernorm_before", *after = "layernorm_after";
  const char *up = "intermediate.dense", *down = "output.dense";
  bool distilled = false;    // a second token, which learnt from a teacher, behind the first
  bool scaled = false;       // what joins the stream is scaled, each number by its own factor
  bool means_too = false;    // labels are read off the class token and the mean of the patches
  bool pools_first = false;  // the class token as it is stands for the image
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
  VitStyle style = {};
  double layer_scale = 1;   // what the factors of a scaled stream start from
  double path_drop = 0;     // how often a sub-layer is left out of an image's stream in training
  bool gated = false;       // a SwiGLU in place of two matrices and an activation
  bool mask_token = false;  // in the file, and used by nobody

  int64_t first_tokens() const { return style.distilled ? 2 : 1; }  // before the patches
  Size grid() const { return {image.height / patch.height, image.width / patch.width}; }

  static const ConfigTable<VitConfig>& table();
  ModelOutline outline() const;
};

struct VitEmbeddings {
  std::string path;
  Tensor cls_token, position_embeddings;  // [1, 1, C], [1, first + patches, C]
  Tensor distillation_token;              // [1, 1, C]; undefined without
  Tensor weight, bias;                    // of the patches: [C, channels, height, width], [C]
  VitEmbeddings(Params p, const VitConfig& c);
  Tensor operator()(const Tensor& pixels, const VitConfig& c,
                    Run& run) const;  // [B, first + patches, C]
};

struct VitLayer {
  std::string path;
  LayerNorm layernorm_before;
  Linear qkv, out;
  AttentionShape shape;
  LayerNorm layernorm_after;
  Linear up, down;
  Activation activation;
  bool gated;
  Tensor scale_attention, scale_mlp;  // [C]; undefined where nothing is scaled
  double dropout, path_drop;
  VitLayer(Params p, const VitConfig& c);
  // [B, T, C] -> [B, T, C], or of the first `wanted` tokens alone, where nobody reads the others.
  Tensor operator()(Tensor x, LayerRun run, int64_t wanted = 0) const;

 private:
  // What a sub-layer made, as it joins the stream.
  Tensor joining(const Tensor& made, const Tensor& factors, LayerRun run) const;
};

struct Vit {
  VitConfig config;  // head is what it is, never by_tensors
  VitEmbeddings embeddings;
  std::vector<VitLayer> layer;
  LayerNorm layernorm;
  std::optional<Linear> pooler, classifier;
  std::optional<Linear> taught_classifier;  // of the second token
  Vit(Params p, const VitConfig& c);

  // Pixels [B, channels, H, W] of any size that holds a patch -> [B, first + patches, C]. wanted:
  // the first so many tokens will do, which saves most of the last layer where nobody looks on.
  Tensor hidden(const Tensor& pixels, Run& run, int64_t wanted = 0) const;
  Tensor pooled(const Tensor& hidden) const;  // [B, T, C] -> [B, pooler_width]
  Tensor logits(const Tensor& hidden) const;  // [B, T, C] -> [B, labels]
};

// Of a family of its kin: C is a VitConfig with a table of its own.
template <class C>
struct VitOf : Vit {
  C config;
  VitOf(Params p, const C& c) : Vit(p, c), config(c) {}
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const Vit> vit);

}  // namespace jogak
