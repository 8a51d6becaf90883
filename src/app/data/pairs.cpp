#include "app/data/pairs.h"

#include "app/data/text_data.h"
#include "base/hash/crc32c.h"
#include "base/random.h"

namespace jogak {
namespace {

Pairs made_pairs(const DataRecipe& d, bool held_out) {
  return pairs_from_lines(
      generated_lines(d.make, held_out ? d.valid_count : d.count, d.seed, held_out, d.longest),
      d.make);
}

// The share of pairs that validates, chosen by what the target says: a sentence that occurs twice
// is on one side only, and files in order of length or subject are cut evenly.
RecipePairs held_apart(const Pairs& all, double share, uint64_t seed) {
  RecipePairs out;
  for (Pairs* side : {&out.train, &out.valid})
    side->source_name = all.source_name, side->target_name = all.target_name;
  for (size_t i = 0; i < all.size(); ++i) {
    constexpr uint64_t kStream = 0x70616972;
    const bool apart = philox(seed, kStream, crc32c(all.target[i]))[0] < share * 4294967296.0;
    Pairs& side = apart ? out.valid : out.train;
    side.source.push_back(all.source[i]);
    side.target.push_back(all.target[i]);
  }
  return out;
}

}  // namespace

RecipePairs recipe_pairs(const DataRecipe& d) {
  if (!d.make.empty()) return {made_pairs(d, false), made_pairs(d, true)};
  const PairColumns columns{d.source_column, d.target_column};
  Pairs all = d.source.empty() ? read_pair_file(d.train, columns, d.where)
                               : read_pairs(d.source, d.target, d.where);
  if (!d.valid_source.empty())
    return {std::move(all), read_pairs(d.valid_source, d.valid_target, d.where)};
  if (!d.valid.empty()) return {std::move(all), read_pair_file(d.valid, columns, d.where)};
  return held_apart(all, d.valid_share, d.seed);
}

}  // namespace jogak
