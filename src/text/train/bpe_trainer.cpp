#include "text/train/bpe_trainer.h"

#include <utility>

#include "base/error.h"

namespace jogak::text {

BpeTrainer::BpeTrainer(std::span<const CountedWord> words, Spell spell) {
  size_t places = 1;
  for (const CountedWord& word : words) places += word.text.size() + 1;
  ensure(places < kNone, "BPE training: ", places, " bytes of different words, wanted less than ",
         kNone);
  ids_.push_back(kEdge);
  word_of_.push_back(0);
  for (const CountedWord& word : words) {
    const auto number = static_cast<uint32_t>(word_counts_.size());
    word_counts_.push_back(word.count);
    spell(word.text, ids_);
    ids_.push_back(kEdge);
    word_of_.resize(ids_.size(), number);
  }
  sizes_.assign(ids_.size(), 1);
  for (uint32_t at = 0; at + 1 < ids_.size(); ++at)
    if (ids_[at] >= 0 && ids_[at + 1] >= 0)
      found(ids_[at], ids_[at + 1], at, word_counts_[word_of_[at]]);
  queue_found();
}

void BpeTrainer::change(int left, int right, int64_t by) {
  const auto fresh = static_cast<uint32_t>(counts_.size());
  const uint32_t at = pairs_.insert(pair_key(left, right), fresh);
  if (at == fresh) {
    counts_.push_back(0);
    list_of_.push_back(kNone);
  }
  counts_[at] += by;
}

void BpeTrainer::found(int left, int right, uint32_t place, int64_t by) {
  change(left, right, by);
  const uint64_t pair = pair_key(left, right);
  uint32_t& list = list_of_[pairs_.find(pair)];
  if (list == kNone) {
    if (free_lists_.empty()) {
      list = static_cast<uint32_t>(lists_.size());
      lists_.emplace_back();
    } else {
      list = free_lists_.back();
      free_lists_.pop_back();
    }
    fresh_.push_back({pair, list});
  }
  lists_[list].push_back(place);
}

void BpeTrainer::queue_found() {
  for (const Fresh& fresh : fresh_) {
    const uint32_t at = pairs_.find(fresh.pair);
    list_of_[at] = kNone;
    if (counts_[at] > 0) {
      queue_.push({counts_[at], fresh.pair, fresh.list});
    } else {
      lists_[fresh.list] = {};
      free_lists_.push_back(fresh.list);
    }
  }
  fresh_.clear();
}

bool BpeTrainer::next(Best& best) {
  while (!queue_.empty()) {
    top_ = queue_.top();
    queue_.pop();
    const int64_t count = counts_[pairs_.find(top_.pair)];
    if (top_.count == count) {
      best = {static_cast<int>(top_.pair >> 32), static_cast<int>(top_.pair & UINT32_MAX), count};
      return count > 0;
    }
    top_.count = count;  // merges since then have taken some of its places
    queue_.push(top_);
  }
  return false;
}

void BpeTrainer::merge(int result) {
  const Places places = std::move(lists_[top_.places]);
  lists_[top_.places] = {};
  free_lists_.push_back(top_.places);
  for (const uint32_t place : places) merge_at(place, top_.pair, result);
  queue_found();
}

void BpeTrainer::merge_at(uint32_t place, uint64_t pair, int result) {
  const int left = static_cast<int>(pair >> 32), right = static_cast<int>(pair & UINT32_MAX);
  const uint32_t second = place + sizes_[place];
  if (ids_[place] != left || ids_[second] != right) return;  // taken by another merge
  const int64_t count = word_counts_[word_of_[place]];
  const uint32_t size = sizes_[place] + sizes_[second];
  const uint32_t before = place - sizes_[place - 1], after = place + size;
  if (ids_[before] != kEdge) {
    change(ids_[before], left, -count);
    found(ids_[before], result, before, count);
  }
  ids_[place] = result;
  ids_[second] = kGone;
  sizes_[place] = sizes_[after - 1] = size;
  if (ids_[after] != kEdge) {
    change(right, ids_[after], -count);
    found(result, ids_[after], place, count);
  }
}

}  // namespace jogak::text
