// What forecasters share: a norm of either kind, patches, the window they read, and the functions
// that training and the commands call.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "nn/attention.h"
#include "nn/encoder_model.h"
#include "nn/modules.h"
#include "ops/cast.h"
#include "ops/scale_series.h"

namespace jogak {

enum class SeriesNormKind : uint8_t { batch, layer };
enum class SeriesPositions : uint8_t { learned, sincos };

// BatchNorm or LayerNorm: exactly one of them is there.
struct SeriesNorm {
  std::optional<BatchNorm> batch;
  std::optional<LayerNorm> layer;
  SeriesNorm(Params p, SeriesNormKind kind, int64_t width, double eps);
  Tensor operator()(const Tensor& x, LayerRun run) const;
  // {the sum, which is made in `before`, and the norm of it}; a LayerNorm's in one pass over
  // memory.
  std::pair<Tensor, Tensor> after(const Tensor& x, const Tensor& update, LayerRun before,
                                  LayerRun run) const;
};

// Every patch looks at every patch of its row. `dropout` is that of the weights.
struct SeriesAttentionShape {
  int64_t width, heads;
  double dropout, init;
};
SelfAttention series_attention(Params p, const SeriesAttentionShape& shape);

// [B, time, series] -> [B, series, patches, patch]; what does not fill a patch is left out at the
// beginning.
Tensor series_patches(const Tensor& x, int64_t patch, int64_t stride);

// Windows [B, context, series] as they come, brought to one size; c says what is wanted.
template <class Config>
ScaledSeries scaled_window(const char* who, const Config& c, DType dtype, const Tensor& past,
                           const Tensor& observed) {
  ensure<ShapeError>(past.rank() == 3 && past.dim(1) == c.context && past.dim(2) == c.series, who,
                     ": windows ", past.shape(), ", wanted [windows, ", c.context, ", ", c.series,
                     "]");
  return scale_series(to_dtype(past, dtype), observed, c.scaling);
}

// M has scaled(past, observed), hidden(scaled, run) and a call from windows to what comes next.
template <class M>
EncoderModel forecaster_of(std::shared_ptr<const M> m) {
  EncoderModel out;
  out.task = EncoderTask::forecast;
  out.hidden = [m](const EncoderInput& in, Run& run) {
    return m->hidden(m->scaled(in.values, in.mask).values, run);
  };
  out.predict = [m](const EncoderInput& in, Run& run) { return (*m)(in.values, in.mask, run); };
  out.loss = [](const Tensor& predicted, const Tensor& targets, const CrossEntropyOptions& o) {
    return label_loss(predicted, targets, {{}, Problem::regression}, o);
  };
  const auto& c = m->config;
  out.width = c.width, out.context = c.context, out.channels = c.series, out.horizon = c.horizon;
  return out;
}

}  // namespace jogak
