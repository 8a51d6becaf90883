#include "nn/relative_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "nn/cache.h"
#include "ops/embedding.h"
#include "ops/reshape.h"
#include "ops/transpose.h"

namespace jogak {

// Half of the buckets are exact, the others grow by a constant factor up to `farthest`. In f32 and
// in this order, as transformers computes it: a distance on a border falls where it falls there.
int64_t DistanceBuckets::bucket(int64_t distance) const {
  const int64_t own = both_ways ? count / 2 : count, exact = own / 2;
  const int64_t first = both_ways && distance > 0 ? own : 0;
  const int64_t away = both_ways ? std::abs(distance) : -std::min<int64_t>(distance, 0);
  if (away < exact) return first + away;
  const auto span =
      static_cast<float>(std::log(static_cast<double>(farthest) / static_cast<double>(exact)));
  const float grown = std::log(static_cast<float>(away) / static_cast<float>(exact)) / span *
                      static_cast<float>(own - exact);
  return first + std::min(exact + static_cast<int64_t>(grown), own - 1);
}

RelativeBias::RelativeBias(Params p, int64_t heads, const DistanceBuckets& rule, Init init)
    : path(p.where()), weight(p.get("weight", {rule.count, heads}, init)), buckets(rule) {}

Tensor RelativeBias::operator()(const Tensor& ids, LayerRun run) const {
  const bool cached = run->cache != nullptr;
  const int64_t longest = cached ? run->cache_step->runs.reach : ids.dim(1);
  std::vector<int64_t> kinds;
  for (int64_t d = 1 - longest; d < (cached ? 1 : longest); ++d) kinds.push_back(buckets.bucket(d));
  const auto columns = static_cast<int64_t>(kinds.size());
  const Tensor learned = embedding(weight, from_values(kinds, {columns}, weight.device()));
  Tensor out = contiguous(transpose(learned, 0, 1));  // [heads, columns]
  if (cached) out = cast(out, DType::f32);
  return run.made(Part::positions, "relative", ids, std::move(out));
}

}  // namespace jogak
