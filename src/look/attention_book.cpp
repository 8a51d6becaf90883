#include "look/attention_book.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace jogak {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// The vector of one token and head, in double precision.
std::vector<double> vector_of(const Tensor& heads, int64_t row, int64_t token, int64_t head) {
  const auto& s = heads.strides();
  return to_host<double>(
      heads.view({heads.dim(3)}, {s[3]}, heads.offset() + row * s[0] + token * s[1] + head * s[2]));
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
  return out;
}

bool hidden(const AttentionOptions& o, int64_t row, int64_t query, int64_t key, int64_t later) {
  if (o.causal && key > query + later) return true;
  if (!o.key_mask.defined()) return false;
  const int64_t b = o.key_mask.dim(0) > 1 ? row : 0;
  return to_host<uint8_t>(o.key_mask.view({1}, {1},
                                          o.key_mask.offset() + b * o.key_mask.strides()[0] +
                                              key * o.key_mask.strides()[1]))[0] == 0;
}

double bias_at(const Tensor& bias, int64_t row, int64_t head, int64_t key) {
  if (!bias.defined()) return 0;
  const auto& s = bias.strides();
  const int64_t b = bias.dim(0) > 1 ? row : 0;
  return item(bias.view({}, {}, bias.offset() + b * s[0] + head * s[1] + key * s[2]));
}

// The largest weight of a block.
float block_most(const HeadWeights& h, int64_t q0, int64_t q1, int64_t k0, int64_t k1) {
  float most = 0;
  for (int64_t q = q0; q < q1; ++q) {
    const float* const line = h.values + q * h.keys;
    for (int64_t k = k0; k < k1; ++k) most = std::max(most, line[k]);
  }
  return most;
}

}  // namespace

void AttentionBook::see(std::string_view name, int64_t layer, const Tensor& value) {
  const size_t before = maps.size();
  Recorder::see(name, layer, value);
  if (maps.size() > before) given.push_back(std::move(next_));
  next_ = {};
}

Tensor AttentionBook::pass(const ProbeStep& step, const Tensor&, const Tensor& out) {
  if (step.detail == "q") next_.q = out.detach();
  if (step.detail == "k") next_.k = out.detach();
  return out;
}

void AttentionBook::attend(const ProbeStep&, AttentionOptions& options) { next_.options = options; }

const AttentionMap* AttentionBook::find(std::string_view kind, int64_t layer) const {
  for (const AttentionMap& map : maps)
    if (map.kind == kind && map.layer == layer) return &map;
  return nullptr;
}

const AttentionBook::Given& AttentionBook::given_to(const AttentionMap& map) const {
  return given[static_cast<size_t>(&map - maps.data())];
}

size_t AttentionBook::bytes() const {
  size_t out = 0;
  for (const AttentionMap& map : maps) out += map.weights.bytes();
  for (const Given& one : given) out += one.q.bytes() + one.k.bytes();
  return out;
}

HeadWeights head_weights(const AttentionMap& map, int64_t row, int64_t head) {
  const Tensor& w = map.weights;
  ensure<UsageError>(row >= 0 && row < w.dim(0) && head >= 0 && head < w.dim(1), "found head ",
                     head, ", the layer has ", w.dim(1), ", counted from 0");
  const auto& s = w.strides();
  const Tensor one =
      cast(dense(w.view({w.dim(2), w.dim(3)}, {s[2], s[3]}, w.offset() + row * s[0] + head * s[1])),
           DType::f32);
  return {one, one.data<float>(), w.dim(2), w.dim(3)};
}

float largest(const HeadWeights& head) { return block_most(head, 0, head.queries, 0, head.keys); }

uint8_t weight_byte(float weight, float high) {
  if (!(high > 0) || !(weight > 0)) return 0;
  return static_cast<uint8_t>(std::lround(255 * std::sqrt(std::min(1.0f, weight / high))));
}

Tile thumbnail(const HeadWeights& h, int64_t side, float high) {
  Tile out{std::min(side, h.keys), std::min(side, h.queries)};
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x)
      out.bytes.push_back(
          weight_byte(block_most(h, y * h.queries / out.height, (y + 1) * h.queries / out.height,
                                 x * h.keys / out.width, (x + 1) * h.keys / out.width),
                      high));
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
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x) {
      const int64_t q = (p.y * p.side + y) * step, k = (p.x * p.side + x) * step;
      out.bytes.push_back(weight_byte(
          block_most(h, q, std::min(q + step, h.queries), k, std::min(k + step, h.keys)), high));
    }
  return out;
}

std::vector<Link> strongest(const HeadWeights& h, int64_t count, int64_t query) {
  ensure<UsageError>(query < h.queries, "found query ", query, ", there are ", h.queries);
  std::vector<Link> out;
  const auto stronger = [](const Link& a, const Link& b) { return a.weight > b.weight; };
  const int64_t first = query < 0 ? 0 : query, last = query < 0 ? h.queries : query + 1;
  for (int64_t q = first; q < last; ++q)
    for (int64_t k = 0; k < h.keys; ++k) {
      const Link link{q, k, h.at(q, k)};
      if (static_cast<int64_t>(out.size()) < count) {
        out.push_back(link);
        std::push_heap(out.begin(), out.end(), stronger);
      } else if (!out.empty() && stronger(link, out.front())) {
        std::pop_heap(out.begin(), out.end(), stronger);
        out.back() = link;
        std::push_heap(out.begin(), out.end(), stronger);
      }
    }
  std::sort_heap(out.begin(), out.end(), stronger);
  return out;
}

CellMath cell_math(const AttentionMap& map, const AttentionBook::Given& given, int64_t row,
                   int64_t head, const Link& cell) {
  const HeadWeights h = head_weights(map, row, head);
  ensure<UsageError>(
      cell.query >= 0 && cell.query < h.queries && cell.key >= 0 && cell.key < h.keys,
      "found cell ", cell.query, ", ", cell.key, ", the head has ", h.queries, " x ", h.keys);
  const AttentionOptions& o = given.options;
  const int64_t shared = given.q.dim(2) / given.k.dim(2), later = h.keys - h.queries;
  CellMath out;
  out.q = vector_of(given.q, row, cell.query, head);
  out.k = vector_of(given.k, row, cell.key, head / shared);
  out.scale = o.scale;
  std::vector<double> scores;
  for (int64_t k = 0; k < h.keys; ++k) {
    const double made = dot(out.q, vector_of(given.k, row, k, head / shared));
    const double bias = bias_at(o.key_bias, row, head, k);
    const bool masked = hidden(o, row, cell.query, k, later);
    if (k == cell.key) out.dot = made, out.bias = bias, out.masked = masked;
    if (k == cell.key) out.score = made * o.scale + bias;
    scores.push_back(masked ? kNone : made * o.scale + bias);
  }
  out.most = *std::max_element(scores.begin(), scores.end());
  for (const double score : scores)
    if (score > kNone) out.sum += std::exp(score - out.most);
  if (!out.masked && out.sum > 0) out.weight = std::exp(out.score - out.most) / out.sum;
  out.kept = h.at(cell.query, cell.key);
  return out;
}

}  // namespace jogak
