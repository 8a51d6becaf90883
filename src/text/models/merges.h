// The merges of a BPE model and the algorithm that applies them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "text/models/model.h"
#include "text/models/place_list.h"

namespace jogak::text {

class MergeTable {
 public:
  struct Merge {
    int left, right, result;
  };

  void reserve(size_t merges) {
    ranks_.reserve(merges);
    merges_.reserve(merges);
  }
  // The next rank. False when the pair has one already.
  bool add(const Merge& merge) {
    const auto rank = static_cast<uint32_t>(merges_.size());
    if (ranks_.insert(pair_key(merge.left, merge.right), rank) != rank) return false;
    merges_.push_back(merge);
    return true;
  }
  void fetch(int left, int right) const { ranks_.fetch(pair_key(left, right)); }  // before add()
  uint32_t rank(int left, int right) const { return ranks_.find(pair_key(left, right)); }
  const Merge& operator[](uint32_t rank) const { return merges_[rank]; }
  size_t size() const { return merges_.size(); }
  bool is(uint32_t rank, int left, int right) const {  // that very pair has this rank
    return merges_[rank].left == left && merges_[rank].right == right;
  }
  int result(uint32_t rank, int, int) const { return merges_[rank].result; }

 private:
  FlatMap ranks_;
  std::vector<Merge> merges_;
};

// Replaces neighbouring tokens, always the pair of lowest rank first and of those the leftmost,
// until no pair has a rank. Keeps its buffers from word to word. The table says what ranks there
// are; pairs may share one.
template <class Table>
class BasicMerger {
 public:
  explicit BasicMerger(const Table& table) : table_(table) {}

  // Merges tokens[from..] in place and cuts the vector to what is left.
  void merge(std::vector<Token>& tokens, size_t from);

  uint64_t steps() const { return steps_; }  // work done so far, for tests of its growth

 private:
  // Places where a pair of one rank was seen. Places mostly come in ascending order and then
  // are only appended; the others go through a heap.
  struct Bucket {
    uint32_t rank;
    bool queued = false;
    PlaceList ordered{};
    std::vector<uint32_t> late{};
  };

  void merge_short(std::vector<Token>& tokens, size_t from);
  void merge_long(std::vector<Token>& tokens, size_t from);
  void note(uint32_t place);  // looks at the pair that starts there
  void apply(uint32_t place, uint32_t rank);
  bool stands(uint32_t place, uint32_t rank) const;
  bool take_place(Bucket& bucket, uint32_t& place);
  void put_away();

  const Table& table_;
  uint64_t steps_ = 0;
  std::vector<uint32_t> ranks_;  // merge_short: rank of each pair

  // merge_long: a symbol is known by its first place. sizes_ there and at its last place is how
  // many places it covers, so both neighbours are found without links.
  std::vector<int> ids_;
  std::vector<uint32_t> sizes_;
  PlacePool pool_;
  std::vector<Bucket> buckets_;
  std::vector<uint32_t> bucket_of_;  // by rank; kNone when there is none
  std::vector<uint32_t> queue_;      // heap of buckets, lowest rank on top
};

using Merger = BasicMerger<MergeTable>;

}  // namespace jogak::text
