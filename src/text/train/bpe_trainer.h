// Learns merges from counted words. Every pair of neighbours knows its places, so a merge costs
// as much as it has occurrences, and the next best pair comes from a queue.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/function_ref.h"

namespace jogak::text {

struct CountedWord {
  std::string_view text;  // bytes
  int64_t count = 0;
};

class BpeTrainer {
 public:
  struct Best {
    int left, right;
    int64_t count;
  };

  static constexpr int kEdge = -1;  // stands between words, and for what no merge may touch

  // Appends the ids that a word starts as, at most one for each of its bytes.
  using Spell = FunctionRef<void(std::string_view, std::vector<int>&)>;

  BpeTrainer(std::span<const CountedWord> words, Spell spell);

  // The most frequent pair, of equal ones the one with the lowest ids. False: there is none.
  bool next(Best& best);
  // Puts `result` wherever the pair that next() gave last stands.
  void merge(int result);

 private:
  struct Entry {
    int64_t count;
    uint64_t pair;
    uint32_t places;  // index of its list
    bool operator<(const Entry& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };
  using Places = std::vector<uint32_t>;

  static constexpr int kGone = -2;  // belongs to the symbol before it

  void change(int left, int right, int64_t by);
  void found(int left, int right, uint32_t place, int64_t by);
  void merge_at(uint32_t place, uint64_t pair, int result);
  void queue_found();

  // Symbols of all words end to end, an edge before and after each word. A symbol is known by
  // its first place; sizes_ there and at its last place is how many places it covers.
  std::vector<int> ids_;
  std::vector<uint32_t> sizes_, word_of_;
  std::vector<int64_t> word_counts_;

  FlatMap pairs_;  // pair -> index in counts_
  std::vector<int64_t> counts_;
  std::vector<Places> lists_;  // places of a queue entry; emptied when it is used
  std::vector<uint32_t> free_lists_;
  std::priority_queue<Entry> queue_;
  Entry top_{};

  struct Fresh {
    uint64_t pair;
    uint32_t list;
  };
  std::vector<Fresh> fresh_;       // pairs that grew during the current merge
  std::vector<uint32_t> list_of_;  // by index in counts_: its list in the current merge, or kNone
};

}  // namespace jogak::text
