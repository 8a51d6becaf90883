// PatchTST: every series by itself, brought to one size, cut into overlapping patches, each a
// token; an encoder over them, and a head that forecasts the series.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/series/series_parts.h"
#include "nn/attention.h"
#include "nn/config_table.h"
#include "nn/encoder_model.h"

namespace jogak {

struct PatchTstConfig {
  using Norm = SeriesNormKind;
  using Positions = SeriesPositions;
  enum class Pooling : uint8_t { mean, max, none };
  int64_t series = 1, context = 32, horizon = 24, patch = 1, stride = 1;
  bool pad_end = false;  // as published: the last value `stride` times more, one patch more
  int64_t width = 128, layers = 3, heads = 4, inner = 512;
  Activation activation = Activation::gelu;
  bool ff_bias = true, pre_norm = true, channel_attention = false;
  Norm norm = Norm::batch;
  double eps = 1e-5, init = 0.02;
  double attention_drop = 0, position_drop = 0, path_drop = 0, ff_drop = 0, head_drop = 0;
  Positions positions = Positions::sincos;
  bool share_embedding = true, share_projection = true, class_token = false;
  Pooling pooling = Pooling::mean;
  SeriesScaleOptions scaling = {};

  // Of a window, without the class token; what does not fill a patch is left out at its beginning.
  int64_t patches() const { return (context - patch) / stride + 1 + (pad_end ? 1 : 0); }
  int64_t head_width() const;

  static const ConfigTable<PatchTstConfig>& table();
  ModelOutline outline() const;
};

// Linear layers side by side, one for each series, or one for all.
struct PatchTstLinear {
  Weight weight;  // [out, in], or [series * out, in]
  Tensor bias;
  int64_t series;  // 0: one for all
  PatchTstLinear(Params p, int64_t in, int64_t out, int64_t count, Init init);
  Tensor operator()(const Tensor& x) const;  // [B, series, .., in] -> [B, series, .., out]
};

struct PatchTstLayer {
  std::string path;
  SelfAttention self_attn;
  SeriesNorm norm_sublayer1;
  std::optional<SeriesNorm> norm_sublayer2;  // with attention between series
  Linear ff_up, ff_down;
  SeriesNorm norm_sublayer3;
  Activation activation;
  double path_drop, ff_drop;
  bool pre_norm;
  PatchTstLayer(Params p, const PatchTstConfig& c);
  Tensor operator()(Tensor x, LayerRun run) const;  // [B, series, P, C] -> the same
};

struct PatchTst {
  PatchTstConfig config;
  PatchTstLinear input_embedding;
  Tensor position_enc;  // [P, C]; learned, or a constant
  Tensor cls_token;     // [1, 1, 1, C], or undefined
  std::vector<PatchTstLayer> layers;
  PatchTstLinear projection;
  PatchTst(Params p, const PatchTstConfig& c);

  ScaledSeries scaled(const Tensor& past, const Tensor& observed) const;
  // Windows [B, context, series] that are already of one size -> [B, series, P, C].
  Tensor hidden(const Tensor& scaled, Run& run) const;
  // Windows as they are, `observed` bool of their shape or undefined -> [B, horizon, series].
  Tensor operator()(const Tensor& past, const Tensor& observed, Run& run) const;
};

// The model behind the functions that training and the commands call.
EncoderModel encoder_of(std::shared_ptr<const PatchTst> model);

}  // namespace jogak
