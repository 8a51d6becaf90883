#include "nn/rope.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "nn/cache.h"
#include "ops/rope.h"

namespace jogak {
namespace {

// theta^(2i/D), rounded to f32 at every step as PyTorch rounds.
float wavelength(double theta, int64_t pair, int64_t width) {
  const float exponent = static_cast<float>(2 * pair) / static_cast<float>(width);
  return static_cast<float>(std::pow(theta, double{exponent}));
}

// The pair that rotates `rotations` times within the original length.
double pair_that_rotates(double rotations, const RopeConfig& r, int64_t width) {
  return static_cast<double>(width) *
         std::log(static_cast<double>(r.original) / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(r.theta));
}

std::vector<float> yarn(const RopeConfig& r, int64_t width) {
  double low = pair_that_rotates(r.beta_fast, r, width);
  double high = pair_that_rotates(r.beta_slow, r, width);
  if (r.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, static_cast<double>(width - 1));
  if (low == high) high += 0.001;
  std::vector<float> out;
  for (int64_t i = 0; i < width / 2; ++i) {
    const float wave = wavelength(r.theta, i, width);
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0f,
        1.0f);
    const float keep = 1 - ramp, stretched = 1 / (static_cast<float>(r.factor) * wave);
    out.push_back(stretched * (1 - keep) + 1 / wave * keep);
  }
  return out;
}

float llama3(const RopeConfig& r, float frequency) {
  const auto length = static_cast<double>(r.original);
  const float wave = static_cast<float>(2 * std::numbers::pi) / frequency;
  if (wave < static_cast<float>(length / r.high_freq)) return frequency;
  const auto factor = static_cast<float>(r.factor);
  if (wave > static_cast<float>(length / r.low_freq)) return frequency / factor;
  const float smooth = (static_cast<float>(length) / wave - static_cast<float>(r.low_freq)) /
                       static_cast<float>(r.high_freq - r.low_freq);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

double dynamic_theta(const RopeConfig& r, int64_t width, int64_t length) {
  const auto most = static_cast<double>(r.original);
  const double longest = std::max(static_cast<double>(length), most);
  const auto d = static_cast<double>(width);
  return r.theta * std::pow(r.factor * longest / most - (r.factor - 1), d / (d - 2));
}

double mscale_of(double factor, double mscale) {
  return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

int64_t largest(const Tensor& places) {
  const auto all = to_host<int64_t>(places);
  return *std::max_element(all.begin(), all.end());
}

}  // namespace

int64_t RopeConfig::context(int64_t positions) const {
  if (kind != RopeKind::dynamic) return positions;
  constexpr double kMost = 1 << 24;
  const double stretched = std::min(static_cast<double>(positions) * factor, kMost);
  return std::max(positions, static_cast<int64_t>(stretched));
}

std::vector<float> rope_frequencies(const RopeConfig& r, int64_t width, int64_t length) {
  if (r.kind == RopeKind::yarn) return yarn(r, width);
  const double theta = r.kind == RopeKind::dynamic ? dynamic_theta(r, width, length) : r.theta;
  std::vector<float> out;
  for (int64_t i = 0; i < width / 2; ++i) {
    const float plain = 1 / wavelength(theta, i, width);
    if (r.kind == RopeKind::longrope) {
      const auto& factors = length > r.original ? r.long_factors : r.short_factors;
      const auto own = static_cast<float>(factors[static_cast<size_t>(i)]);
      out.push_back(1 / (own * wavelength(theta, i, width)));
    } else if (r.kind == RopeKind::linear)
      out.push_back(plain / static_cast<float>(r.factor));
    else
      out.push_back(r.kind == RopeKind::llama3 ? llama3(r, plain) : plain);
  }
  return out;
}

double rope_factor(const RopeConfig& r) {
  if (r.kind != RopeKind::yarn && r.kind != RopeKind::longrope) return 1;
  if (r.attention_factor != 0) return r.attention_factor;
  if (r.kind == RopeKind::longrope)
    return r.factor <= 1
               ? 1
               : std::sqrt(1 + std::log(r.factor) / std::log(static_cast<double>(r.original)));
  if (r.mscale != 0 && r.mscale_all != 0)
    return mscale_of(r.factor, r.mscale) / mscale_of(r.factor, r.mscale_all);
  return mscale_of(r.factor, 1);
}

RotaryPositions::RotaryPositions(const RopeConfig& rope, int64_t head_width, Device& device)
    : config(rope),
      width(rope.width(head_width)),
      frequencies(from_values(rope_frequencies(rope, width, 0), {width / 2}, device)) {}

Tensor RotaryPositions::table(const Tensor& ids, const Run& run) const {
  const int64_t T = ids.dim(1), half = width / 2;
  const double factor = rope_factor(config);
  const bool may_stretch = config.stretches();
  if (!run.cache) {
    const bool given = run.positions.defined();
    const Tensor places =
        given ? run.positions : arange(0, T, ids.device()).view({1, T}, {T, 1}, 0);
    const int64_t length = given && may_stretch ? largest(places) + 1 : T;
    const Tensor own =
        may_stretch && length > config.original
            ? from_values(rope_frequencies(config, width, length), {half}, ids.device())
            : frequencies;
    return rope_table(places, own, factor);
  }
  const CacheStep& step = *run.cache_step;
  if (!may_stretch) return rope_table(step.places, frequencies, factor);
  // Each sequence rotates by its own length after this step; keys of earlier steps stay as they
  // were rotated then, as in transformers.
  std::map<int, int64_t> longest;
  for (size_t r = 0; r < step.positions.size(); ++r)
    longest[step.sequences[r]] = std::max(longest[step.sequences[r]], step.positions[r] + 1);
  std::map<int, std::vector<float>> own;
  for (const auto& [sequence, length] : longest)
    own[sequence] = rope_frequencies(config, width, length);
  std::vector<float> rows;
  for (const int sequence : step.sequences)
    rows.insert(rows.end(), own[sequence].begin(), own[sequence].end());
  return rope_table(step.places, from_values(rows, {T, half}, ids.device()), factor);
}

}  // namespace jogak
