#include "models/series/timesfm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/layers.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "ops/regression.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"

namespace jogak {
namespace {

// log(1 + exp(x)): how far x is from being chosen before 0.
Tensor softplus(const Tensor& x) {  // [D]
  const Tensor rows = reshape(x, {-1, 1});
  const Tensor both = concat(std::array{rows, zeros(rows.shape(), x.dtype(), x.device())}, 1);
  return cross_entropy(both, full({x.dim(0)}, 1, DType::i64, x.device()),
                       {.reduction = Reduction::none});
}

// One series of one window, on its way to patches.
struct Window {
  std::vector<double> values;
  std::vector<uint8_t> unknown;
  double loc = 0, scale = 1;

  int64_t known_in(int64_t first, int64_t count) const {
    return std::count(unknown.begin() + first, unknown.begin() + first + count, 0);
  }

  // By the first patch with three known values, else the last one.
  void measure(int64_t patch, double smallest) {
    const auto size = static_cast<int64_t>(values.size());
    int64_t at = 0;
    while (at + patch < size && known_in(at, patch) < 3) at += patch;
    const auto known = static_cast<double>(std::max<int64_t>(1, known_in(at, patch)));
    double sum = 0, squares = 0;
    const auto each = [&](auto add) {
      for (int64_t i = at; i < at + patch; ++i)
        if (!unknown[static_cast<size_t>(i)]) add(values[static_cast<size_t>(i)]);
    };
    each([&](double x) { sum += x; });
    loc = sum / known;
    each([&](double x) { squares += (x - loc) * (x - loc); });
    scale = std::max(std::sqrt(squares / known), smallest);
  }
};

// The squared error of the forecast, and of each quantile q the mean of max(q e, (q - 1) e), where
// e is how far the truth lies above it: |e| / 2 + (q - 1/2) e.
Tensor quantile_loss(const Tensor& predicted, const Tensor& truth, const TimesFmConfig& c) {
  const int64_t Q = c.outputs() - 1;
  const Tensor point = reshape(slice(predicted, -1, 0, 1), truth.shape());
  const Tensor target = to_dtype(truth, predicted.dtype());
  Tensor loss = mse(point, target);
  if (Q == 0) return loss;
  const Tensor said = contiguous(slice(predicted, -1, 1, 1 + Q));  // [.., Q]
  const Tensor none = zeros(said.shape(), said.dtype(), said.device());
  const Tensor wanted = reshape(target, truth.shape().plus(1)) + none;
  std::vector<float> lean;
  for (const double q : c.quantiles) lean.push_back(static_cast<float>(q - 0.5));
  const Tensor by = cast(from_values(lean, {Q}, said.device()), said.dtype());
  const Tensor skew = mean((wanted + said * -1.0) * by);
  return loss + mae(said, wanted) * 0.5 + to_dtype(skew, loss.dtype());
}

}  // namespace

TimesFmResidual::TimesFmResidual(Params p, int64_t in, int64_t inner, int64_t out, Init init)
    : input_layer(p / "input_layer", in, inner, init),
      output_layer(p / "output_layer", inner, out, init),
      residual_layer(p / "residual_layer", in, out, init) {}

Tensor TimesFmResidual::operator()(const Tensor& x, LayerRun run) const {
  return output_layer(input_layer(x, run, Activation::silu), run) + residual_layer(x, run);
}

TimesFmLayer::TimesFmLayer(Params p, const TimesFmConfig& c)
    : path(p.where()),
      input_layernorm(p / "input_layernorm", c.width, c.eps),
      self_attn((p / "self_attn")
                    .join({{"q_proj", c.heads * c.head},
                           {"k_proj", c.heads * c.head},
                           {"v_proj", c.heads * c.head}}),
                p / "self_attn" / "o_proj",
                {.width = c.width,
                 .heads = c.heads,
                 .kv_heads = c.heads,
                 .scale = 1,
                 .dropout = c.attention_drop,
                 .head = c.head},
                normal(c.init), normal(c.init)),
      scaling((p / "self_attn").get("scaling", {c.head}, constant(1))),
      layer_norm(p / "mlp" / "layer_norm", c.width, 1e-6),
      mlp(p / "mlp" / "gate_proj", p / "mlp" / "down_proj", c.width, c.inner, Activation::relu,
          normal(c.init), normal(c.init)) {}

Tensor TimesFmLayer::query_factors() const {
  const int64_t H = self_attn.shape.heads, D = self_attn.shape.head;
  constexpr double kLog2E = 1.442695041;  // softplus(0) is 1 over it
  const Tensor one =
      to_dtype(softplus(scaling) * (kLog2E / std::sqrt(static_cast<double>(D))), scaling.dtype());
  const Tensor of_queries = reshape(one + zeros({H, D}, one.dtype(), one.device()), {H * D});
  return concat(std::array{of_queries, full({2 * H * D}, 1, one.dtype(), one.device())}, 0);
}

Tensor TimesFmLayer::operator()(Tensor x, const AttentionMask& mask, const Tensor& known,
                                LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  const Tensor read = input_layernorm(x, run);
  const Tensor heads = self_attention(self_attn.qkv(read, at_attn) * query_factors(),
                                      self_attn.shape, mask, at_attn);
  x = add_skip(x, at_attn.pass(Part::attention, {}, read, self_attn.out(heads, at_attn)), at_attn);
  const Tensor made = mlp(layer_norm(x, at_mlp), at_mlp);
  return add_skip(x, known.defined() ? made * known : made, at_mlp);
}

TimesFm::TimesFm(Params p, const TimesFmConfig& c)
    : config(c),
      input_ff_layer(p / "input_ff_layer", 2 * c.patch, c.inner, c.width, normal(c.init)),
      freq_emb(p / "freq_emb", c.frequencies, c.width, normal(c.init)),
      horizon_ff_layer(p / "horizon_ff_layer", c.width, c.inner, c.horizon * c.outputs(),
                       normal(c.init)) {
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
  if (!c.with_positions) return;
  const int64_t waves = c.width / 2;
  const DType dtype = layers[0].scaling.dtype();
  inv_timescales = (p / "position_emb").buffer("inv_timescales", {waves}, dtype, [&] {
    const auto low = static_cast<double>(c.min_timescale);
    const double step = std::log(static_cast<double>(c.max_timescale) / low) /
                        static_cast<double>(std::max<int64_t>(1, waves - 1));
    std::vector<float> out;
    for (int64_t i = 0; i < waves; ++i)
      out.push_back(static_cast<float>(low * std::exp(-step * static_cast<double>(i))));
    return cast(from_values(out, {waves}), dtype);
  });
}

TimesFmPatches TimesFm::cut(const Tensor& past, const Tensor& observed) const {
  const TimesFmConfig& c = config;
  ensure<ShapeError>(past.rank() == 3 && past.dim(1) == c.context && past.dim(2) == c.series,
                     "timesfm: windows ", past.shape(), ", wanted [windows, ", c.context, ", ",
                     c.series, "]");
  const int64_t B = past.dim(0), T = c.context, S = c.series, N = c.patches(), P = c.patch;
  const std::vector<double> all = to_host<double>(past);
  std::vector<uint8_t> seen(all.size(), 1);
  if (observed.defined()) seen = to_host<uint8_t>(observed);
  std::vector<double> cells, loc, scale;
  std::vector<uint8_t> known;
  std::vector<int64_t> places;
  bool whole = true;
  for (int64_t row = 0; row < B * S; ++row) {
    Window w;
    for (int64_t t = 0; t < T; ++t) {
      const auto at = static_cast<size_t>(((row / S) * T + t) * S + row % S);
      const bool unknown = !seen[at] || std::abs(all[at] - c.padding) < c.tolerance;
      w.values.push_back(unknown ? 0 : all[at]), w.unknown.push_back(unknown);
    }
    w.measure(P, c.tolerance);
    loc.push_back(w.loc), scale.push_back(w.scale);
    int64_t first = -1;
    for (int64_t n = 0; n < N; ++n) {
      const bool some = w.known_in(n * P, P) > 0;
      if (some && first < 0) first = n;
      known.push_back(some), whole = whole && some;
      for (int64_t i = n * P; i < n * P + P; ++i)
        cells.push_back(w.unknown[static_cast<size_t>(i)]
                            ? 0
                            : (w.values[static_cast<size_t>(i)] - w.loc) / w.scale);
      for (int64_t i = n * P; i < n * P + P; ++i)
        cells.push_back(w.unknown[static_cast<size_t>(i)]);
    }
    for (int64_t n = 0; n < N; ++n) places.push_back((n - first + N) % N);
  }
  const DType dtype = layers[0].scaling.dtype();
  const auto made = [&](const std::vector<double>& x, const Shape& shape) {
    return cast(from_values(x, shape, past.device()), dtype);
  };
  TimesFmPatches out{.values = made(cells, {B * S, N, 2 * P}),
                     .loc = made(loc, {B, S, 1, 1}),
                     .scale = made(scale, {B, S, 1, 1})};
  if (whole) return out;
  out.known = cast(from_values(known, {B * S, N}, past.device()), DType::boolean);
  out.places = from_values(places, {B * S, N}, past.device());
  return out;
}

Tensor TimesFm::hidden(const TimesFmPatches& in, Run& run) const {
  const LayerRun outside(run);
  const int64_t N = in.values.dim(1);
  Tensor x = input_ff_layer(in.values, outside);  // [B * series, N, C]
  if (inv_timescales.defined()) {
    const std::vector<double> rates = to_host<double>(inv_timescales);
    const size_t waves = rates.size();
    std::vector<double> table(static_cast<size_t>(N) * 2 * waves);
    for (size_t n = 0; n < static_cast<size_t>(N); ++n)
      for (size_t i = 0; i < waves; ++i) {
        table[n * 2 * waves + i] = std::sin(static_cast<double>(n) * rates[i]);
        table[n * 2 * waves + waves + i] = std::cos(static_cast<double>(n) * rates[i]);
      }
    const Tensor sines =
        cast(from_values(table, {N, config.width}, x.device()), inv_timescales.dtype());
    const Tensor shown = outside.made(Part::positions, "position_emb", in.values, sines);
    x = x + (in.places.defined() ? embedding(shown, in.places) : shown);
  }
  // Values that come often (daily or oftener): transformers' choice where none is named.
  x = x + freq_emb(zeros({1}, DType::i64, x.device()), outside);
  const Tensor known =
      in.known.defined() ? reshape(cast(in.known, x.dtype()), {-1, N, 1}) : Tensor();
  const AttentionMask mask{.causal = true, .keys = in.known};
  x = run_layers(layers, x, run, [mask, known](const TimesFmLayer& block, auto at_in, LayerRun at) {
    return block(at_in[0], mask, known, at);
  });
  run.see("hidden_states", config.layers, x);
  return x;
}

Tensor TimesFm::operator()(const Tensor& past, const Tensor& observed, Run& run) const {
  const TimesFmPatches in = cut(past, observed);
  const Tensor x = hidden(in, run);
  const int64_t N = x.dim(1), B = past.dim(0);
  const Tensor ahead = horizon_ff_layer(slice(x, 1, N - 1, N), run);  // [B * series, 1, ..]
  const Tensor each = reshape(ahead, {B, config.series, config.horizon, config.outputs()});
  return permute(each * in.scale + in.loc, std::array{0, 2, 1, 3});
}

EncoderModel encoder_of(std::shared_ptr<const TimesFm> m) {
  const TimesFmConfig& c = m->config;
  EncoderModel out;
  out.task = EncoderTask::forecast;
  out.hidden = [m](const EncoderInput& in, Run& run) {
    return m->hidden(m->cut(in.values, in.mask), run);
  };
  out.predict = [m](const EncoderInput& in, Run& run) { return (*m)(in.values, in.mask, run); };
  out.point = [](const Tensor& predicted) {
    return reshape(slice(predicted, -1, 0, 1), predicted.shape().without(-1));
  };
  out.loss = [m](const Tensor& predicted, const Tensor& truth, const CrossEntropyOptions& o) {
    const Tensor loss = quantile_loss(predicted, truth, m->config);
    return o.reduction == Reduction::sum ? loss * static_cast<double>(truth.count()) : loss;
  };
  out.width = c.width, out.context = c.context, out.channels = c.series, out.horizon = c.horizon;
  out.from_shorter = true;
  return out;
}

}  // namespace jogak
