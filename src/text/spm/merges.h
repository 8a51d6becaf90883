// The merges of a .model: any two neighbours whose texts together are a piece, the piece of the
// highest score first.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "text/models/vocab.h"
#include "text/spm/file.h"

namespace jogak::text {

// Symbols are what is merged: pieces by their id, then characters that are part of a piece but no
// piece themselves. Negative numbers are never merged.
class SpmMerges {
 public:
  SpmMerges(const SpmFile& spm, const Vocab& vocab);

  int character(std::string_view one) const;  // its symbol; -1 when it is in no piece

  // As BasicMerger asks. Pairs that make equally good pieces share a rank.
  uint32_t rank(int left, int right) const {
    return (left | right) < 0 ? kNone : ranks_.find(pair_key(left, right));
  }
  bool is(uint32_t rank, int left, int right) const { return this->rank(left, right) == rank; }
  int result(uint32_t rank, int left, int right) const {
    return only_[rank] >= 0 ? only_[rank] : static_cast<int>(results_.find(pair_key(left, right)));
  }
  size_t size() const { return only_.size(); }

  int pieces() const { return pieces_; }
  const std::vector<int>& best_first() const { return best_first_; }  // pieces that can be made
  bool any_unused() const { return any_unused_; }
  bool is_unused(int symbol) const {
    return any_unused_ && symbol >= 0 && symbol < pieces_ && unused_[symbol];
  }

 private:
  class Builder;

  const Vocab& vocab_;
  int pieces_;
  std::unordered_map<std::string, int> hidden_;  // characters that are no pieces
  FlatMap ranks_;
  std::vector<int> only_;  // by rank: the piece it makes; -1 when there are several
  FlatMap results_;        // by pair, for those
  std::vector<int> best_first_;
  std::vector<bool> unused_;
  bool any_unused_ = false;
};

}  // namespace jogak::text
