#include "nn/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/cache.h"

namespace jogak {
namespace {

// Keys' cubic kernel at a distance from the sample, up to 2.
double cubic(double distance) {
  constexpr double a = -0.75;
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// [to, from]: what each of `from` samples adds to each of `to`, the middles of both spread evenly.
std::vector<double> cubic_weights(int64_t from, int64_t to) {
  std::vector<double> out(static_cast<size_t>(to * from), 0.0);
  for (int64_t i = 0; i < to; ++i) {
    const double at =
        (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const auto left = static_cast<int64_t>(std::floor(at));
    for (int64_t j = left - 1; j <= left + 2; ++j)
      out[static_cast<size_t>(i * from + std::clamp<int64_t>(j, 0, from - 1))] +=
          cubic(at - static_cast<double>(j));
  }
  return out;
}

}  // namespace

Tensor token_places(const Tensor& ids, const Run& run) {
  if (run.positions.defined()) return run.positions;
  if (!run.cache) return arange(0, ids.dim(1), ids.device());
  return run.cache_step->places;
}

Tensor places_from(int64_t first, const Tensor& places) {
  std::vector<int64_t> moved = to_host<int64_t>(places);
  for (int64_t& place : moved) place += first;
  return from_values(moved, places.shape(), places.device());
}

Tensor places_after(int64_t pad, const Tensor& ids) {
  auto places = to_host<int64_t>(ids);
  const int64_t T = ids.dim(1);
  for (size_t i = 0, seen = 0; i < places.size(); ++i) {
    if (static_cast<int64_t>(i) % T == 0) seen = 0;
    const bool real = places[i] != pad;
    seen += real ? 1 : 0;
    places[i] = pad + (real ? static_cast<int64_t>(seen) : 0);
  }
  return from_values(places, ids.shape(), ids.device());
}

Tensor cached_places_after(int64_t pad, const Tensor& ids, const Run& run) {
  auto places = to_host<int64_t>(ids);
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = places[i] == pad ? pad : pad + 1 + run.cache_step->positions[i];
  return from_values(places, ids.shape(), ids.device());
}

Tensor stretched_sinusoids(int64_t positions, int64_t width, int64_t nowhere, Device& device) {
  const int64_t waves = width / 2;
  const auto step = static_cast<float>(std::log(10000.0) / static_cast<double>(waves - 1));
  std::vector<float> values(static_cast<size_t>(positions * width), 0.0f);
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t i = 0; p != nowhere && i < waves; ++i) {
      const float angle = static_cast<float>(p) * std::exp(static_cast<float>(i) * -step);
      values[static_cast<size_t>(p * width + i)] = std::sin(angle);
      values[static_cast<size_t>(p * width + waves + i)] = std::cos(angle);
    }
  return from_values(values, {positions, width}, device);
}

Tensor sinusoids(int64_t positions, int64_t width, SinusoidLayout layout, Device& device) {
  std::vector<float> values(static_cast<size_t>(positions * width));
  const int64_t sines = (width + 1) / 2;  // of an odd width there is one sine more
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t j = 0; j < width; ++j) {
      const auto pair = static_cast<double>(j / 2 * 2);
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, pair / static_cast<double>(width));
      const double value = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
      const int64_t half = j % 2 == 0 ? j / 2 : sines + j / 2;
      values[static_cast<size_t>(p * width + (layout == SinusoidLayout::halves ? half : j))] =
          static_cast<float>(value);
    }
  return from_values(values, {positions, width}, device);
}

Tensor centred_sinusoids(int64_t positions, int64_t width, Device& device) {
  std::vector<float> values =
      to_host<float>(sinusoids(positions, width, SinusoidLayout::interleaved));
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const float v : values) mean += double{v} / n;
  for (const float v : values) squares += (double{v} - mean) * (double{v} - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  for (float& v : values) v = static_cast<float>((double{v} - mean) / (10 * deviation));
  return from_values(values, {positions, width}, device);
}

Tensor bicubic(int64_t height, int64_t width, int64_t to_height, int64_t to_width, Device& device) {
  const int64_t rows = to_height * to_width, cols = height * width;
  const auto down = cubic_weights(height, to_height), across = cubic_weights(width, to_width);
  std::vector<float> values(static_cast<size_t>(rows * cols));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      values[static_cast<size_t>(r * cols + c)] =
          static_cast<float>(down[static_cast<size_t>(r / to_width * height + c / width)] *
                             across[static_cast<size_t>(r % to_width * width + c % width)]);
  return from_values(values, {rows, cols}, device);
}

}  // namespace jogak
