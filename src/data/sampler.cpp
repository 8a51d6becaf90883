#include "data/sampler.h"

namespace jogak {

Sampler::Sampler(int64_t examples, uint64_t seed) : examples_(examples), seed_(seed) {
  ensure<Error>(examples >= 1, "sampler: found ", examples, " examples, wanted at least one");
}

std::vector<Pick> Sampler::next(int64_t count) {
  ensure<Error>(count >= 1 && count <= INT64_MAX - examples_, "sampler: ", count,
                " examples asked for");
  std::vector<Pick> picks;
  picks.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) picks.push_back(at(advanced(position_, i)));
  position_ = advanced(position_, count);
  return picks;
}

void Sampler::seek(Position position) {
  ensure<Error>(position.epoch >= 0 && position.index >= 0 && position.index < examples_,
                "data position epoch ", position.epoch, ", example ", position.index,
                " does not fit a set of ", examples_, " examples");
  position_ = position;
}

Pick Sampler::at(Position place) {
  if (order_epoch_ != place.epoch) {
    order_ = permutation(examples_, Rng(seed_, static_cast<uint64_t>(place.epoch)));
    order_epoch_ = place.epoch;
  }
  return {order_[static_cast<size_t>(place.index)], place.epoch};
}

Sampler::Position Sampler::advanced(Position from, int64_t by) const {
  const int64_t index = from.index + by;
  return {from.epoch + index / examples_, index % examples_};
}

}  // namespace jogak
