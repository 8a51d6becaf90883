#include "models/encoders/disentangled.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/cast.h"
#include "ops/embedding.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/softmax.h"
#include "ops/transpose.h"

namespace jogak {
namespace {

// Added to what may not be seen: nothing is left of the score itself.
constexpr float kUnseen = -1e30f;

// [B, T, C] -> [H, B, T, D]
Tensor by_heads(const Tensor& x, int64_t heads) {
  const Tensor apart = reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  return permute(apart, std::array{2, 0, 1, 3});
}

// Rows i of x [.., T, 2 T - 1] hold a number for every distance; the one of query i and key j
// stands at j - i + T - 1. Read on in memory, that is every row one place further: [.., T, T].
Tensor by_keys(const Tensor& x) {
  const int64_t T = x.dim(-2), outer = x.count() / (T * (2 * T - 1));
  Shape shape = x.shape().with(-1, T);
  if (T == 1) return reshape(x, shape);
  const Tensor flat = reshape(x, {outer, T * (2 * T - 1)});
  const Tensor moved = slice(flat, 1, T - 1, T - 1 + T * (2 * T - 2));
  return reshape(slice(reshape(moved, {outer, T, 2 * T - 2}), 2, 0, T), shape);
}

// What x [H, B, T, D] says of each distance, e [2 T - 1, C]: [H, B, T, T].
Tensor met(const Tensor& x, const Tensor& e) {
  const int64_t H = x.dim(0), B = x.dim(1), T = x.dim(2), D = x.dim(3);
  const Tensor rows = permute(reshape(e, {e.dim(0), H, D}), std::array{1, 2, 0});  // [H, D, 2T-1]
  const Tensor all = matmul(reshape(x, {H, B * T, D}), rows);
  return by_keys(reshape(all, {H, B, T, e.dim(0)}));
}

// [1, B, T, T]: 0 where query and key are both real.
Tensor unseen(const Tensor& mask, DType dtype) {
  const int64_t B = mask.dim(0), T = mask.dim(1);
  const auto real = to_host<int64_t>(cast(mask, DType::i64));
  std::vector<float> out(static_cast<size_t>(B * T * T), 0.0f);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t i = 0; i < T; ++i)
      for (int64_t j = 0; j < T; ++j)
        if (real[static_cast<size_t>(b * T + i)] == 0 || real[static_cast<size_t>(b * T + j)] == 0)
          out[static_cast<size_t>((b * T + i) * T + j)] = kUnseen;
  return cast(from_values(out, {1, B, T, T}, mask.device()), dtype);
}

}  // namespace

// In f32 and in this order, as transformers computes it: a distance on a border falls as there.
int64_t RelativePlaces::row(int64_t distance) const {
  int64_t place = distance;
  const int64_t mid = buckets / 2;
  if (const int64_t away = std::abs(distance); buckets > 0 && away > mid) {
    const auto most =
        static_cast<float>(static_cast<double>(farthest - 1) / static_cast<double>(mid));
    const float grown = std::ceil(std::log(static_cast<float>(away) / static_cast<float>(mid)) /
                                  std::log(most) * static_cast<float>(mid - 1)) +
                        static_cast<float>(mid);
    place = static_cast<int64_t>(grown) * (distance < 0 ? -1 : 1);
  }
  return std::clamp<int64_t>(place + span(), 0, rows() - 1);
}

double DisentangledConfig::scale() const {
  const int sums = 1 + (from_tokens ? 1 : 0) + (from_distances ? 1 : 0);
  return 1 / std::sqrt(static_cast<double>(shape.head_width()) * sums);
}

DisentangledAttention::DisentangledAttention(Params self, Params out_path,
                                             const DisentangledConfig& c)
    : config(c),
      query_proj(self / "query_proj", c.shape.width, c.shape.width, normal(c.init)),
      key_proj(self / "key_proj", c.shape.width, c.shape.width, normal(c.init)),
      value_proj(self / "value_proj", c.shape.width, c.shape.width, normal(c.init)),
      out(out_path, c.shape.width, c.shape.width, normal(c.init)) {
  const int64_t C = c.shape.width;
  if (c.places.span() == 0 || c.shared) return;
  if (c.from_tokens) pos_key_proj.emplace(self / "pos_key_proj", C, C, normal(c.init));
  if (c.from_distances) pos_query_proj.emplace(self / "pos_query_proj", C, C, normal(c.init));
}

// q, k [H, B, T, D] -> [H, B, T, T]
Tensor DisentangledAttention::scores(const Tensor& q, const Tensor& k, const Tensor& distances,
                                     double scale) const {
  Tensor sum = matmul(q, transpose(k, -1, -2));
  const bool looks = distances.defined() && (config.from_tokens || config.from_distances);
  if (!looks) return sum * scale;
  // Row e stands for key - query = e - (T - 1); seen from the key it is the other way round.
  const int64_t T = q.dim(2);
  std::vector<int64_t> ahead, behind;
  for (int64_t e = 0; e < 2 * T - 1; ++e) {
    ahead.push_back(config.places.row(T - 1 - e));
    behind.push_back(config.places.row(e - (T - 1)));
  }
  const auto rows = [&](const std::vector<int64_t>& ids, const Linear& through) {
    const Tensor which = from_values(ids, {2 * T - 1}, distances.device());
    return through(embedding(distances, which));  // [2 T - 1, C]
  };
  if (config.from_tokens) sum = sum + met(q, rows(ahead, config.shared ? key_proj : *pos_key_proj));
  if (config.from_distances)
    sum =
        sum + transpose(met(k, rows(behind, config.shared ? query_proj : *pos_query_proj)), -1, -2);
  return sum * scale;
}

Tensor DisentangledAttention::operator()(const Tensor& x, const Tensor& distances,
                                         const Tensor& mask, LayerRun run) const {
  const int64_t B = x.dim(0), T = x.dim(1), H = config.shape.heads, D = config.shape.head_width();
  AttentionOptions o{.scale = config.scale(), .key_mask = mask};
  const Tensor q = by_heads(query_proj(x, run), H), k = by_heads(key_proj(x, run), H),
               v = by_heads(value_proj(x, run), H);  // [H, B, T, D]
  const auto shown = [](const Tensor& heads) { return permute(heads, std::array{1, 2, 0, 3}); };
  if (run.watched()) {
    const NoGrad quiet;
    run.pass(Part::other, "q", x, shown(q));
    run.pass(Part::other, "k", x, shown(k));
    run.pass(Part::other, "v", x, shown(v));
    run->probe->attend(run.step(Part::heads, "attentions"), o);
  }
  Tensor all = scores(q, k, distances, o.scale);
  if (o.key_mask.defined()) {
    // What padding looks at teaches nothing.
    const Tensor real = reshape(cast(o.key_mask, all.dtype()), {1, B, T, 1});
    all = all * real + unseen(o.key_mask, all.dtype());
  }
  const Tensor weights = softmax(all);  // [H, B, T, T]
  if (run.watched() && run->probe->wants_attention()) {
    const NoGrad quiet;
    const Tensor seen = dense(permute(weights.detach(), std::array{1, 0, 2, 3}));
    run->see("attentions", run.layer, seen);
    run.pass(Part::other, "weights", x, seen);
  }
  Tensor heads = shown(matmul(drop(weights, config.shape.dropout, *run), v));  // [B, T, H, D]
  heads = run.pass(Part::heads, "heads", heads, heads);
  return run.pass(Part::attention, {}, x, out(reshape(heads, {B, T, H * D}), run));
}

}  // namespace jogak
