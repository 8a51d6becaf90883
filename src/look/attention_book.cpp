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

// One text and one head of q or k: [1, T, 1, width].
Tensor alone(const Tensor& heads, int64_t row, int64_t head) {
  const auto& s = heads.strides();
  return heads.view({1, heads.dim(1), 1, heads.dim(3)}, {s[0], s[1], s[2], s[3]},
                    heads.offset() + row * s[0] + head * s[2]);
}

AttentionOptions alone(const AttentionOptions& of_all, int64_t row, int64_t head) {
  AttentionOptions out = of_all;
  if (const Tensor& mask = of_all.key_mask; mask.defined() && mask.dim(0) > 1)
    out.key_mask =
        mask.view({1, mask.dim(1)}, mask.strides(), mask.offset() + row * mask.strides()[0]);
  if (const Tensor& bias = of_all.key_bias; bias.defined()) {
    const auto& s = bias.strides();
    const int64_t b = bias.dim(0) > 1 ? row : 0;
    out.key_bias = bias.view({1, 1, bias.dim(2)}, s, bias.offset() + b * s[0] + head * s[1]);
  }
  if (const Tensor& bias = of_all.distance_bias; bias.defined())
    out.distance_bias = bias.detach().view({1, bias.dim(1)}, bias.strides(),
                                           bias.offset() + head * bias.strides()[0]);
  return out;
}

// What is added to the scores of one query and head, key by key.
std::vector<double> biases(const AttentionOptions& o, int64_t query, int64_t queries,
                           int64_t keys) {
  if (o.key_bias.defined()) return to_host<double>(o.key_bias);
  std::vector<double> out(static_cast<size_t>(keys));
  if (!o.distance_bias.defined()) return out;
  const std::vector<double> by_distance = to_host<double>(o.distance_bias);
  const int64_t place = query + keys - queries;
  for (int64_t k = 0; k < keys; ++k) {
    const auto at = static_cast<size_t>(keys - 1 + k - place);
    if (at < by_distance.size()) out[static_cast<size_t>(k)] = by_distance[at];
  }
  return out;
}

// Which keys a query cannot see.
std::vector<bool> hidden_keys(const AttentionOptions& o, int64_t query, int64_t queries,
                              int64_t keys) {
  const int64_t place = query + keys - queries;
  std::vector<bool> out(static_cast<size_t>(keys));
  std::vector<uint8_t> real;
  if (o.key_mask.defined()) real = to_host<uint8_t>(o.key_mask);
  for (int64_t k = 0; k < keys; ++k)
    out[static_cast<size_t>(k)] = (o.causal && k > place) ||
                                  (o.window > 0 && std::abs(place - k) >= o.window) ||
                                  (!real.empty() && real[static_cast<size_t>(k)] == 0);
  return out;
}

}  // namespace

HeadWeights::HeadWeights(const Tensor& weights)
    : owner(weights),
      values(weights.data<float>()),
      queries(weights.dim(0)),
      keys(weights.dim(1)) {}

std::string attention_kind(std::string_view name) {
  if (name == "cross_attentions") return "cross";
  if (name == "text_attentions") return "text";  // of a model that also sees
  if (name == "encoder_attentions") return "encoder";
  return name == "channel_attentions" ? "series" : "self";
}

Tensor AttentionBook::pass(const ProbeStep& step, const Tensor&, const Tensor& out) {
  if (step.detail == "q") q_ = out.detach();
  if (step.detail == "k") k_ = out.detach();
  return out;
}

void AttentionBook::attend(const ProbeStep& step, AttentionOptions& options) {
  given.push_back({attention_kind(step.detail), step.layer, std::move(q_), std::move(k_), options});
  given.back().options.dropout = 0;
}

size_t AttentionBook::bytes() const {
  size_t out = 0;
  for (const Given& one : given) out += one.q.bytes() + one.k.bytes();
  return out;
}

HeadWeights AttentionBook::Given::head(int64_t row, int64_t head) const {
  ensure<UsageError>(row >= 0 && row < q.dim(0) && head >= 0 && head < heads(), "found head ", head,
                     ", the layer has ", heads(), ", counted from 0");
  const int64_t shared = heads() / k.dim(2);
  const Tensor made = attention_weights(alone(q, row, head), alone(k, row, head / shared),
                                        alone(options, row, head));  // [1, 1, queries, keys]
  return HeadWeights(cast(made.view({queries(), keys()}, {keys(), 1}, made.offset()), DType::f32));
}

CellMath cell_math(const AttentionBook::Given& given, int64_t row, int64_t head, int64_t query,
                   int64_t key) {
  const int64_t queries = given.queries(), keys = given.keys();
  ensure<UsageError>(row >= 0 && row < given.q.dim(0) && head >= 0 && head < given.heads(),
                     "found head ", head, ", the layer has ", given.heads(), ", counted from 0");
  ensure<UsageError>(query >= 0 && query < queries && key >= 0 && key < keys, "found cell ", query,
                     ", ", key, ", the head has ", queries, " x ", keys);
  const AttentionOptions o = alone(given.options, row, head);
  const int64_t of_key = head / (given.heads() / given.k.dim(2));
  const std::vector<bool> hidden = hidden_keys(o, query, queries, keys);
  const std::vector<double> bias = biases(o, query, queries, keys);
  CellMath out{.q = vector_of(given.q, row, query, head),
               .k = vector_of(given.k, row, key, of_key),
               .scale = o.scale,
               .cap = o.cap};
  std::vector<double> scores;
  for (int64_t k = 0; k < keys; ++k) {
    const auto at = static_cast<size_t>(k);
    const double made = dot(out.q, vector_of(given.k, row, k, of_key)), scaled = made * o.scale;
    const double score = (o.cap > 0 ? o.cap * std::tanh(scaled / o.cap) : scaled) + bias[at];
    if (k == key) out.dot = made, out.bias = bias[at], out.score = score, out.masked = hidden[at];
    scores.push_back(hidden[at] ? kNone : score);
  }
  out.most = *std::max_element(scores.begin(), scores.end());
  for (const double score : scores)
    if (score > kNone) out.sum += std::exp(score - out.most);
  if (!out.masked && out.sum > 0) out.weight = std::exp(out.score - out.most) / out.sum;
  return out;
}

}  // namespace jogak
