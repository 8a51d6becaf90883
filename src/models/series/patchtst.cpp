#include "models/series/patchtst.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/pick.h"
#include "ops/reduce.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"

namespace jogak {
namespace {

// "0", "1", .. below a path, where every series has a layer of its own.
Params each_series(Params p, int64_t count, int64_t rows) {
  std::vector<ParamPart> parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back({std::to_string(i), rows});
  return p.join(std::move(parts));
}

// [B, context, series] -> [B, series, patches, patch].
Tensor patches_of(const Tensor& x, const PatchTstConfig& c) {
  if (!c.pad_end) return series_patches(x, c.patch, c.stride);
  std::vector<Tensor> parts = {x};
  parts.insert(parts.end(), static_cast<size_t>(c.stride), slice(x, 1, c.context - 1, c.context));
  return unfold(transpose(concat(parts, 1), 1, 2), 2, c.patch, c.stride);
}

// Sublayer and norm, before or after.
template <class Sublayer>
Tensor residual(const Tensor& x, const SeriesNorm& norm, const PatchTstLayer& layer, LayerRun run,
                Sublayer sublayer) {
  if (layer.pre_norm) return add_skip(x, drop(sublayer(norm(x, run)), layer.path_drop, *run), run);
  return norm(add_skip(x, drop(sublayer(x), layer.path_drop, *run), run), run);
}

// [B, series, P, C] -> [B, series, C], or [B, series, P C] without pooling.
Tensor pool(const Tensor& x, const PatchTstConfig& c) {
  const int64_t B = x.dim(0), M = x.dim(1);
  if (c.class_token) return reshape(slice(x, 2, 0, 1), {B, M, c.width});
  switch (c.pooling) {
    case PatchTstConfig::Pooling::mean: return mean(x, 2);
    case PatchTstConfig::Pooling::max:
      return reshape(top_k(transpose(x, 2, 3), 1).first, {B, M, c.width});
    case PatchTstConfig::Pooling::none: break;
  }
  return reshape(x, {B, M, -1});
}

}  // namespace

int64_t PatchTstConfig::head_width() const {
  return class_token || pooling != Pooling::none ? width : width * patches();
}

PatchTstLinear::PatchTstLinear(Params p, int64_t in, int64_t out, int64_t count, Init init)
    : series(count) {
  const Params all = count == 0 ? p : each_series(p, count, out);
  const int64_t rows = std::max<int64_t>(count, 1) * out;
  weight.dense = all.get("weight", {rows, in}, init);
  bias = all.get("bias", {rows}, constant(0));
}

Tensor PatchTstLinear::operator()(const Tensor& x) const {
  if (series == 0) return weight.apply(x, bias, Activation::none);
  const int64_t B = x.dim(0), in = x.dim(-1), out = bias.dim(0) / series;
  const Tensor rows = reshape(transpose(x, 0, 1), {series, -1, in});  // [series, rows, in]
  const Tensor each = transpose(reshape(weight.dense, {series, out, in}), 1, 2);
  const Tensor y = matmul(rows, each) + reshape(bias, {series, 1, out});
  Shape shape = x.shape().with(-1, out);
  shape[0] = series, shape[1] = B;
  return transpose(reshape(y, shape), 0, 1);
}

PatchTstLayer::PatchTstLayer(Params p, const PatchTstConfig& c)
    : path(p.where()),
      self_attn(series_attention(p / "self_attn", {c.width, c.heads, c.attention_drop, c.init})),
      norm_sublayer1(p / "norm_sublayer1", c.norm, c.width, c.eps),
      ff_up(p / "ff" / "0", c.width, c.inner, normal(c.init), c.ff_bias),
      ff_down(p / "ff" / "3", c.inner, c.width, normal(c.init), c.ff_bias),
      norm_sublayer3(p / "norm_sublayer3", c.norm, c.width, c.eps),
      activation(c.activation),
      path_drop(c.path_drop),
      ff_drop(c.ff_drop),
      pre_norm(c.pre_norm) {
  if (c.channel_attention) norm_sublayer2.emplace(p / "norm_sublayer2", c.norm, c.width, c.eps);
}

Tensor PatchTstLayer::operator()(Tensor x, LayerRun run) const {
  const int64_t B = x.dim(0), M = x.dim(1), P = x.dim(2), C = x.dim(3);
  x = reshape(x, {B * M, P, C});
  const LayerRun at_attn = run.at("self_attn"), at_ff = run.at("ff");
  x = residual(x, norm_sublayer1, *this, at_attn,
               [&](const Tensor& in) { return self_attn(in, {}, at_attn); });
  if (norm_sublayer2) {  // the same projections, now from series to series
    x = reshape(transpose(reshape(x, {B, M, P, C}), 1, 2), {B * P, M, C});
    const LayerRun at_series = run.at("self_attn.series");
    x = residual(x, *norm_sublayer2, *this, at_series, [&](const Tensor& in) {
      return self_attn(in, {}, at_series, "channel_attentions");
    });
    x = transpose(reshape(x, {B, P, M, C}), 1, 2);
  }
  x = residual(reshape(x, {B * M, P, C}), norm_sublayer3, *this, at_ff, [&](const Tensor& in) {
    const Tensor inside = drop(ff_up(in, at_ff, activation), ff_drop, *run);
    return at_ff.pass(Part::ffn, {}, in, ff_down(inside, at_ff));
  });
  return reshape(x, {B, M, P, C});
}

PatchTst::PatchTst(Params p, const PatchTstConfig& c)
    : config(c),
      input_embedding(p / "encoder" / "embedder" / "input_embedding", c.patch, c.width,
                      c.share_embedding ? 0 : c.series, normal(c.init)),
      projection(c.share_projection ? p / "head" / "projection" : p / "head" / "projections",
                 c.head_width(), c.horizon, c.share_projection ? 0 : c.series, normal(c.init)) {
  const Params places = p / "encoder" / "positional_encoder";
  const int64_t count = c.patches() + (c.class_token ? 1 : 0);
  const DType dtype = input_embedding.bias.dtype();
  position_enc = c.positions == PatchTstConfig::Positions::learned
                     ? places.get("position_enc", {count, c.width}, normal(c.init))
                     : places.buffer("position_enc", {count, c.width}, dtype, [&] {
                         return cast(centred_sinusoids(count, c.width), dtype);
                       });
  if (c.class_token) cls_token = places.get("cls_token", {1, 1, 1, c.width}, normal(c.init));
  for (int64_t i = 0; i < c.layers; ++i)
    layers.emplace_back(p / "encoder" / "layers" / std::to_string(i), c);
}

Tensor PatchTst::hidden(const Tensor& scaled, Run& run) const {
  const PatchTstConfig& c = config;
  const LayerRun outside(run);
  const Tensor cut = patches_of(scaled, c);
  Tensor x = outside.made(Part::other, "encoder.embedder.input_embedding", cut,
                          input_embedding(cut));  // [B, series, P, C]
  const Tensor places = outside.made(Part::positions, "encoder.positional_encoder.position_enc",
                                     cut, position_enc);  // [P, C]
  if (c.class_token) {
    x = drop(x + slice(places, 0, 1, places.dim(0)), c.position_drop, run);
    const Tensor none = zeros({x.dim(0), x.dim(1), 1, c.width}, x.dtype(), x.device());
    x = concat(std::array{cls_token + slice(places, 0, 0, 1) + none, x}, 2);
  } else {
    x = drop(x + places, c.position_drop, run);
  }
  x = run_layers(layers, x, run,
                 [](const PatchTstLayer& block, auto in, LayerRun at) { return block(in[0], at); });
  run.see("hidden_states", c.layers, x);
  return x;
}

ScaledSeries PatchTst::scaled(const Tensor& past, const Tensor& observed) const {
  return scaled_window("patchtst", config, position_enc.dtype(), past, observed);
}

Tensor PatchTst::operator()(const Tensor& past, const Tensor& observed, Run& run) const {
  const ScaledSeries s = scaled(past, observed);
  const Tensor read = drop(pool(hidden(s.values, run), config), config.head_drop, run);
  const Tensor ahead = transpose(projection(read), 1, 2);  // [B, horizon, series]
  return LayerRun(run).made(Part::other, "head.projection", read, ahead) * s.scale + s.loc;
}

EncoderModel encoder_of(std::shared_ptr<const PatchTst> m) { return forecaster_of(std::move(m)); }

}  // namespace jogak
