#include "look/head_tiles.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace jogak {
namespace {

// Where blocks begin, and where the last ends.
using Edges = std::vector<int64_t>;

// The largest weight of each block, row by row. Rows go first, whole, which takes vectors of them.
std::vector<float> block_maxima(const HeadWeights& h, const Edges& down, const Edges& across) {
  std::vector<float> out, line(static_cast<size_t>(h.keys));
  const int64_t first = across.front(), last = across.back();
  for (size_t y = 0; y + 1 < down.size(); ++y) {
    std::fill(line.begin(), line.end(), 0.0f);
    for (int64_t q = down[y]; q < down[y + 1]; ++q) {
      const float* const row = h.values + q * h.keys;
      float* const most = line.data();
      for (int64_t k = first; k < last; ++k) most[k] = most[k] < row[k] ? row[k] : most[k];
    }
    for (size_t x = 0; x + 1 < across.size(); ++x)
      out.push_back(*std::max_element(line.begin() + across[x], line.begin() + across[x + 1]));
  }
  return out;
}

Edges equal_parts(int64_t count, int64_t parts) {
  Edges out;
  for (int64_t i = 0; i <= parts; ++i) out.push_back(i * count / parts);
  return out;
}

Edges steps_between(int64_t first, int64_t dots, int64_t step, int64_t count) {
  Edges out;
  for (int64_t i = 0; i <= dots; ++i) out.push_back(std::min((first + i) * step, count));
  return out;
}

void shade(const std::vector<float>& maxima, float high, Tile& out) {
  for (const float weight : maxima) out.bytes.push_back(weight_byte(weight, high));
}

}  // namespace

uint8_t weight_byte(float weight, float high) {
  if (!(high > 0) || !(weight > 0)) return 0;
  return static_cast<uint8_t>(std::lround(255 * std::sqrt(std::min(1.0f, weight / high))));
}

Thumbnail thumbnail(const HeadWeights& h, int64_t side) {
  Thumbnail out{{std::min(side, h.keys), std::min(side, h.queries)}, 0};
  if (out.tile.width == 0 || out.tile.height == 0) return out;
  const std::vector<float> maxima =
      block_maxima(h, equal_parts(h.queries, out.tile.height), equal_parts(h.keys, out.tile.width));
  out.high = *std::max_element(maxima.begin(), maxima.end());
  shade(maxima, out.high, out.tile);
  return out;
}

Tile tile(const HeadWeights& h, const TilePlace& p, float high) {
  ensure<UsageError>(p.zoom >= 0 && p.zoom <= 20 && p.side > 0 && p.side <= 1024 && p.x >= 0 &&
                         p.y >= 0 && p.x < (1 << 20) && p.y < (1 << 20),
                     "found a tile that no picture has");
  const int64_t step = int64_t{1} << p.zoom;
  const auto dots = [&](int64_t count, int64_t place) {
    return std::clamp<int64_t>((count + step - 1) / step - place * p.side, 0, p.side);
  };
  Tile out{dots(h.keys, p.x), dots(h.queries, p.y)};
  if (out.width == 0 || out.height == 0) return out;
  shade(block_maxima(h, steps_between(p.y * p.side, out.height, step, h.queries),
                     steps_between(p.x * p.side, out.width, step, h.keys)),
        high, out);
  return out;
}

std::vector<Link> strongest(const HeadWeights& h, int64_t count, int64_t query) {
  ensure<UsageError>(query < h.queries, "found query ", query, ", there are ", h.queries);
  std::vector<Link> out;
  if (count <= 0) return out;
  const auto stronger = [](const Link& a, const Link& b) { return a.weight > b.weight; };
  const int64_t first = query < 0 ? 0 : query, last = query < 0 ? h.queries : query + 1;
  float least = 0;  // what a link must be above
  for (int64_t q = first; q < last; ++q)
    for (int64_t k = 0; k < h.keys; ++k) {
      const float weight = h.at(q, k);
      if (!(weight > least)) continue;
      if (static_cast<int64_t>(out.size()) == count) {
        std::pop_heap(out.begin(), out.end(), stronger);
        out.pop_back();
      }
      out.push_back({q, k, weight});
      std::push_heap(out.begin(), out.end(), stronger);
      if (static_cast<int64_t>(out.size()) == count) least = out.front().weight;
    }
  std::sort_heap(out.begin(), out.end(), stronger);
  return out;
}

}  // namespace jogak
