// Where tokens stand, in seven ways.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "models/lab/lab.h"
#include "nn/cache.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/alibi.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/embedding.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

using Positions = LabConfig::Positions;

// Positions that a pass needs: one more than the farthest token's.
int64_t places_needed(const Tensor& ids, const Run& run) {
  if (run.cache) return run.cache_step->runs.reach;
  if (!run.positions.defined()) return ids.dim(1);
  const auto at = to_host<int64_t>(run.positions);
  return at.empty() ? 0 : *std::max_element(at.begin(), at.end()) + 1;
}

}  // namespace

LabPositions::LabPositions(Params p, const LabConfig& c, bool both_ways, Device& device)
    : config(c), values(p.values()) {
  if (c.positions == Positions::learned)  // as large as sines are
    table.emplace(p / "embed_positions", c.context, c.width, normal(std::sqrt(0.5)));
  if (c.positions == Positions::sinusoidal)
    sines = cast(sinusoids(c.context, c.width, SinusoidLayout::interleaved, device), p.values());
  if (c.positions == Positions::rope) rotary.emplace(RopeConfig{}, c.key, device);
  if (c.positions == Positions::relative)
    relative.emplace(p / "relative", c.heads, DistanceBuckets{.both_ways = both_ways}, normal(0.1));
  if (!c.concatenate) return;
  const int64_t more = c.positions == Positions::index ? 1 : c.width;
  join.emplace(p / "join_positions", c.width + more, c.width, xavier(c.width + more, c.width));
}

Tensor LabPositions::vectors(const Tensor& ids, LayerRun run) const {
  const int64_t needed = places_needed(ids, *run);
  const Tensor places = token_places(ids, *run);
  switch (config.positions) {
    case Positions::learned:
      ensure<ShapeError>(needed <= config.context || run->cache, "lab: ", needed,
                         " tokens, but the learned table has positions for ", config.context);
      return (*table)(places);
    case Positions::sinusoidal:
      if (needed <= sines.dim(0)) return embedding(sines, places);
      return embedding(
          cast(sinusoids(needed, config.width, SinusoidLayout::interleaved, sines.device()),
               sines.dtype()),
          places);
    case Positions::index: return reshape(cast(places, DType::f32), places.shape().plus(1));
    default: return {};
  }
}

Tensor LabPositions::join_to(const Tensor& x, const Tensor& ids, LayerRun run) const {
  Tensor at = vectors(ids, run);
  if (!at.defined()) return x;
  at = run.pass(Part::positions, "embed_positions", ids, to_dtype(at, x.dtype()));
  if (!join) return x + at;
  const Shape beside{x.dim(0), x.dim(1), at.dim(-1)};
  at = zeros(beside, x.dtype(), x.device()) + at;
  return (*join)(concat(std::array{x, at}, 2), run);  // [B, T, 2 C] -> [B, T, C]
}

Tensor LabPositions::turns(const Tensor& ids, LayerRun run) const {
  return rotary ? run.made(Part::positions, "rotary", ids, rotary->table(ids, *run)) : Tensor();
}

// A number for each distance is added to the scores: learned, or ALiBi's slope times the distance.
Tensor LabPositions::distances(const Tensor& ids, LayerRun run) const {
  if (relative) return (*relative)(ids, run);
  if (config.positions != Positions::alibi) return {};
  const int64_t reach = run->cache ? run->cache_step->runs.reach : ids.dim(1);
  std::vector<float> falls;
  for (const float slope : alibi_slopes(config.heads))
    for (int64_t d = 1 - reach; d < (run->cache ? 1 : reach); ++d)
      falls.push_back(-slope * static_cast<float>(std::abs(d)));
  const int64_t columns = static_cast<int64_t>(falls.size()) / config.heads;
  const Tensor bias = from_values(falls, {config.heads, columns}, ids.device());
  return run.made(Part::positions, "alibi", ids, run->cache ? bias : cast(bias, values));
}

int64_t Lab::longest() const {
  return config.positions == Positions::learned ? config.context : int64_t{1} << 24;
}

}  // namespace jogak
