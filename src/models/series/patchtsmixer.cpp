#include "models/series/patchtsmixer.h"

#include <array>
#include <tuple>

#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/softmax.h"
#include "ops/transpose.h"

namespace jogak {

Mixer::Mixer(Params p, int64_t size, const PatchTsMixerConfig& c)
    : norm(p / "norm" / "norm", c.norm, c.width, c.eps),
      fc1(p / "mlp" / "fc1", size, size * c.expansion, normal(c.init)),
      fc2(p / "mlp" / "fc2", size * c.expansion, size, normal(c.init)),
      dropout(c.dropout) {
  if (c.gated) gate.emplace(p / "gating_block" / "attn_layer", size, size, normal(c.init));
}

Tensor Mixer::gated(const Tensor& x, LayerRun run) const {
  return gate ? mul_softmax(x, (*gate)(x, run)) : x;
}

Tensor Mixer::mixed(const Tensor& x, LayerRun run) const {
  const Tensor inside = drop(fc1(x, run, Activation::gelu), dropout, *run);
  return drop(fc2(inside, run), dropout, *run);
}

PatchTsMixerLayer::PatchTsMixerLayer(Params p, const PatchTsMixerConfig& c)
    : path(p.where()),
      patch_mixer(p / "patch_mixer", c.patches(), c),
      feature_mixer(p / "feature_mixer", c.width, c) {
  if (c.mix_series) channel_feature_mixer.emplace(p / "channel_feature_mixer", c.series, c);
  if (!c.self_attention) return;
  self_attn_layer.emplace(series_attention(p / "patch_mixer" / "self_attn_layer",
                                           {c.width, c.heads, c.dropout, c.init}));
  norm_attn.emplace(p / "patch_mixer" / "norm_attn" / "norm", c.norm, c.width, c.eps);
}

Tensor PatchTsMixerLayer::mix_series(const Tensor& read, LayerRun run) const {
  const Mixer& m = *channel_feature_mixer;
  const std::array swap = {0, 3, 2, 1};
  const Tensor made = permute(m.mixed(m.gated(permute(read, swap), run), run), swap);
  return run.pass(Part::ffn, {}, read, made);
}

Tensor PatchTsMixerLayer::mix_patches(const Tensor& read, LayerRun run) const {
  const Mixer& m = patch_mixer;
  const Tensor across = transpose(read, 2, 3);  // [B, series, C, P]
  Tensor made = run.pass(Part::ffn, {}, read, transpose(m.gated(m.mixed(across, run), run), 2, 3));
  if (self_attn_layer) {
    const Tensor rows = reshape(read, {read.dim(0) * read.dim(1), read.dim(2), read.dim(3)});
    const Tensor looked = (*self_attn_layer)(rows, {}, run);
    made = (*norm_attn)(made + reshape(looked, read.shape()), run);
  }
  return made;
}

Tensor PatchTsMixerLayer::mix_features(const Tensor& read, LayerRun run) const {
  const Mixer& m = feature_mixer;
  return run.pass(Part::ffn, {}, read, m.gated(m.mixed(read, run), run));
}

Tensor PatchTsMixerLayer::operator()(Tensor x, LayerRun run) const {
  const LayerRun series = run.at("channel_feature_mixer"), patches = run.at("patch_mixer"),
                 features = run.at("feature_mixer");
  Tensor read;
  if (channel_feature_mixer) {
    const Tensor made = mix_series(channel_feature_mixer->norm(x, series), series);
    std::tie(x, read) = patch_mixer.norm.after(x, made, series, patches);
  } else {
    read = patch_mixer.norm(x, patches);
  }
  const Tensor made = mix_patches(read, patches);
  std::tie(x, read) = feature_mixer.norm.after(x, made, patches, features);
  return add_skip(x, mix_features(read, features), features);
}

PatchTsMixer::PatchTsMixer(Params p, const PatchTsMixerConfig& c)
    : config(c),
      patcher(p / "encoder" / "patcher", c.patch, c.width, normal(c.init)),
      base_forecast_block(p / "head" / "base_forecast_block", c.patches() * c.width, c.horizon,
                          normal(c.init)) {
  const Params places = p / "encoder" / "positional_encoder";
  const Shape shape{c.patches(), c.width};
  const DType dtype = patcher.bias.dtype();
  if (c.with_positions)
    position_enc = c.positions == SeriesPositions::learned
                       ? places.get("position_enc", shape, normal(0.1))
                       : places.buffer("position_enc", shape, dtype, [&] {
                           return cast(centred_sinusoids(c.patches(), c.width), dtype);
                         });
  for (int64_t i = 0; i < c.layers; ++i)
    mixers.emplace_back(p / "encoder" / "mlp_mixer_encoder" / "mixers" / std::to_string(i), c);
}

ScaledSeries PatchTsMixer::scaled(const Tensor& past, const Tensor& observed) const {
  return scaled_window("patchtsmixer", config, patcher.bias.dtype(), past, observed);
}

Tensor PatchTsMixer::hidden(const Tensor& values, Run& run) const {
  const LayerRun outside(run);
  const Tensor cut = series_patches(values, config.patch, config.stride);
  Tensor x = patcher(cut, outside);  // [B, series, P, C]
  if (position_enc.defined())
    x = x +
        outside.made(Part::positions, "encoder.positional_encoder.position_enc", cut, position_enc);
  x = run_layers(mixers, x, run, [](const PatchTsMixerLayer& block, auto in, LayerRun at) {
    return block(in[0], at);
  });
  run.see("hidden_states", config.layers, x);
  return x;
}

Tensor PatchTsMixer::operator()(const Tensor& past, const Tensor& observed, Run& run) const {
  const ScaledSeries s = scaled(past, observed);
  const Tensor x = hidden(s.values, run);
  const Tensor read = drop(reshape(x, {x.dim(0), x.dim(1), -1}), config.head_drop, run);
  const Tensor ahead = transpose(base_forecast_block(read, run), 1, 2);  // [B, horizon, series]
  return ahead * s.scale + s.loc;
}

EncoderModel encoder_of(std::shared_ptr<const PatchTsMixer> m) {
  return forecaster_of(std::move(m));
}

}  // namespace jogak
