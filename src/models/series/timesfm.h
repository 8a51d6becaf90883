// TimesFM: a decoder over patches of one series. Each patch, and what is unknown of it, becomes a
// vector; the last one says how the series goes on, with quantiles beside the forecast.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/config_table.h"
#include "nn/encoder_model.h"

namespace jogak {

struct TimesFmConfig {
  int64_t series = 1;  // read side by side, each by itself; ours: files of theirs do not say it
  int64_t context = 512, horizon = 128, patch = 32, frequencies = 3;
  int64_t width = 1280, layers = 50, heads = 16, head = 80, inner = 1280;
  double eps = 1e-6, attention_drop = 0, init = 0.02;
  double tolerance = 1e-6;        // the smallest size a series is divided by
  double padding = 1123581321.0;  // what stands for a value that is not known
  bool with_positions = false;
  int64_t min_timescale = 1, max_timescale = 10000;  // of the positions' waves
  std::vector<double> quantiles = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

  int64_t patches() const { return context / patch; }
  int64_t outputs() const { return 1 + static_cast<int64_t>(quantiles.size()); }

  static const ConfigTable<TimesFmConfig>& table();
  ModelOutline outline() const;
};

// Two layers, and a straight way past them.
struct TimesFmResidual {
  Linear input_layer, output_layer, residual_layer;
  TimesFmResidual(Params p, int64_t in, int64_t inner, int64_t out, Init init);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

struct TimesFmLayer {
  std::string path;
  RmsNorm input_layernorm;
  SelfAttention self_attn;
  Tensor scaling;  // [D]: how much each number of a query counts, before softplus
  LayerNorm layer_norm;
  FeedForward mlp;
  TimesFmLayer(Params p, const TimesFmConfig& c);
  // `known` [B, N, 1] or undefined: nothing is added to patches of which nothing is known.
  Tensor operator()(Tensor x, const AttentionMask& mask, const Tensor& known, LayerRun run) const;

 private:
  Tensor query_factors() const;  // [3 * heads * D]: of queries, then 1 for keys and values
};

// Windows as the layers read them: a row for each series.
struct TimesFmPatches {
  Tensor values;      // [B * series, N, 2 * patch]: of one size, then 1 where a value is not known
  Tensor loc, scale;  // [B, series, 1, 1]: x = value * scale + loc
  Tensor known = {};  // bool [B * series, N]; undefined: something is known of every patch
  Tensor places =
      {};  // i64 [B * series, N], counted from the first known patch; undefined: 0, 1 ..
};

struct TimesFm {
  TimesFmConfig config;
  TimesFmResidual input_ff_layer;
  Embedding freq_emb;
  Tensor inv_timescales;  // [width / 2]; undefined without positions
  std::vector<TimesFmLayer> layers;
  TimesFmResidual horizon_ff_layer;
  TimesFm(Params p, const TimesFmConfig& c);

  // Brought to one size by the first patch of which three values are known.
  TimesFmPatches cut(const Tensor& past, const Tensor& observed) const;
  Tensor hidden(const TimesFmPatches& in, Run& run) const;  // [B * series, N, C]
  // Windows [B, context, series], `observed` bool of their shape or undefined -> [B, horizon,
  // series, 1 + quantiles]: the forecast first.
  Tensor operator()(const Tensor& past, const Tensor& observed, Run& run) const;
};

EncoderModel encoder_of(std::shared_ptr<const TimesFm> model);

}  // namespace jogak
