// PatchTSMixer: patches of series as in PatchTST, and no attention unless it is asked for. Small
// feed-forwards mix along one axis at a time: series, patches, features.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/series/series_parts.h"
#include "nn/attention.h"
#include "nn/config_table.h"

namespace jogak {

struct PatchTsMixerConfig {
  int64_t series = 1, context = 32, horizon = 16, patch = 8, stride = 8;
  int64_t width = 8, layers = 3, expansion = 2;
  bool mix_series = false, gated = true;
  bool self_attention = false;
  int64_t heads = 1;  // of the self-attention
  SeriesNormKind norm = SeriesNormKind::layer;
  bool with_positions = false;
  SeriesPositions positions = SeriesPositions::sincos;
  double eps = 1e-5, init = 0.02, dropout = 0.2, head_drop = 0.2;
  SeriesScaleOptions scaling = {};

  int64_t patches() const { return (context - patch) / stride + 1; }

  static const ConfigTable<PatchTsMixerConfig>& table();
  ModelOutline outline() const;
};

// A feed-forward along the last axis, `size` long, and a gate that weighs what comes out (or, of
// series, what goes in) by a softmax over that axis.
struct Mixer {
  SeriesNorm norm;
  Linear fc1, fc2;
  std::optional<Linear> gate;
  double dropout;
  Mixer(Params p, int64_t size, const PatchTsMixerConfig& c);
  Tensor gated(const Tensor& x, LayerRun run) const;
  Tensor mixed(const Tensor& x, LayerRun run) const;
};

struct PatchTsMixerLayer {
  std::string path;
  std::optional<Mixer> channel_feature_mixer;
  Mixer patch_mixer, feature_mixer;
  std::optional<SelfAttention> self_attn_layer;
  std::optional<SeriesNorm> norm_attn;
  PatchTsMixerLayer(Params p, const PatchTsMixerConfig& c);
  Tensor operator()(Tensor x, LayerRun run) const;  // [B, series, P, C] -> the same

 private:
  // What is added to the stream, made of its norm.
  Tensor mix_series(const Tensor& read, LayerRun run) const;
  Tensor mix_patches(const Tensor& read, LayerRun run) const;
  Tensor mix_features(const Tensor& read, LayerRun run) const;
};

struct PatchTsMixer {
  PatchTsMixerConfig config;
  Linear patcher;
  Tensor position_enc;  // [P, C]; learned, a constant, or undefined
  std::vector<PatchTsMixerLayer> mixers;
  Linear base_forecast_block;
  PatchTsMixer(Params p, const PatchTsMixerConfig& c);

  ScaledSeries scaled(const Tensor& past, const Tensor& observed) const;
  // Windows [B, context, series] that are already of one size -> [B, series, P, C].
  Tensor hidden(const Tensor& scaled, Run& run) const;
  // Windows as they are, `observed` bool of their shape or undefined -> [B, horizon, series].
  Tensor operator()(const Tensor& past, const Tensor& observed, Run& run) const;
};

EncoderModel encoder_of(std::shared_ptr<const PatchTsMixer> model);

}  // namespace jogak
