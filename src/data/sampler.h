// The order in which examples are taken: every one once an epoch, shuffled anew each time.
#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"

namespace jogak {

// The epochs' permutations, one behind the other, make one endless sequence, of which every call
// takes the next places. Several processes take the same and compute a part each, so the position
// can be saved by one and restored by any number of them. A call may begin in one epoch and end in
// the next; nothing is dropped or taken twice.
class Sampler {
 public:
  struct Position {
    int64_t epoch = 0, index = 0;  // index: places of this epoch that are taken
    bool operator==(const Position&) const = default;
  };

  // `seed` with streams 0, 1, 2, ... gives the epochs' permutations.
  Sampler(int64_t examples, uint64_t seed);

  std::vector<Pick> next(int64_t count);
  Position position() const { return position_; }
  void seek(Position position);  // Error when it does not fit these examples
  int64_t examples() const { return examples_; }

 private:
  Pick at(Position place);
  Position advanced(Position from, int64_t by) const;

  int64_t examples_;
  uint64_t seed_;
  Position position_;
  int64_t order_epoch_ = -1;  // whose permutation order_ holds
  std::vector<int64_t> order_;
};

}  // namespace jogak
