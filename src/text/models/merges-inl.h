// The body of BasicMerger, for the files that make one for a kind of table.
#pragma once

#include <algorithm>
#include <functional>

#include "text/models/merges.h"

namespace jogak::text {

// Up to here looking for the lowest rank by going over all pairs is faster than a queue.
inline constexpr size_t kShort = 40;

inline constexpr int kGone = INT32_MIN;  // this place now belongs to the symbol before it

// Buffers that a giant word has blown up are not kept for the next word.
inline constexpr size_t kKeep = size_t{1} << 20, kSlabsKept = 16;

template <class Table>
void BasicMerger<Table>::merge(std::vector<Token>& tokens, size_t from) {
  const size_t count = tokens.size() - from;
  if (count < 2) return;
  count <= kShort ? merge_short(tokens, from) : merge_long(tokens, from);
}

template <class Table>
void BasicMerger<Table>::merge_short(std::vector<Token>& tokens, size_t from) {
  Token* const s = tokens.data() + from;
  size_t pairs = tokens.size() - from - 1;
  ranks_.resize(kShort);
  uint32_t* const rank = ranks_.data();
  for (size_t i = 0; i < pairs; ++i) rank[i] = table_.rank(s[i].id, s[i + 1].id);
  steps_ += pairs;
  while (pairs > 0) {
    const size_t best = std::min_element(rank, rank + pairs) - rank;
    if (rank[best] == kNone) break;
    steps_ += pairs;
    s[best] = {table_.result(rank[best], s[best].id, s[best + 1].id), s[best + 1].end};
    std::copy(s + best + 2, s + pairs + 1, s + best + 1);
    std::copy(rank + best + 1, rank + pairs, rank + best);
    --pairs;
    if (best > 0) rank[best - 1] = table_.rank(s[best - 1].id, s[best].id);
    if (best < pairs) rank[best] = table_.rank(s[best].id, s[best + 1].id);
  }
  tokens.resize(from + pairs + 1);
}

template <class Table>
void BasicMerger<Table>::note(uint32_t place) {
  ++steps_;
  const uint32_t next = place + sizes_[place];
  if (next >= ids_.size()) return;
  const uint32_t rank = table_.rank(ids_[place], ids_[next]);
  if (rank == kNone) return;
  uint32_t& at = bucket_of_[rank];
  if (at == kNone) {
    at = static_cast<uint32_t>(buckets_.size());
    buckets_.push_back({.rank = rank});
  }
  Bucket& bucket = buckets_[at];
  if (bucket.ordered.empty() || place > bucket.ordered.back()) {
    bucket.ordered.push(pool_, place);
  } else {
    bucket.late.push_back(place);
    std::push_heap(bucket.late.begin(), bucket.late.end(), std::greater<>());
  }
  if (bucket.queued) return;
  bucket.queued = true;
  queue_.push_back(at);
  std::push_heap(queue_.begin(), queue_.end(),
                 [&](uint32_t a, uint32_t b) { return buckets_[a].rank > buckets_[b].rank; });
}

template <class Table>
bool BasicMerger<Table>::take_place(Bucket& bucket, uint32_t& place) {
  auto& [rank, queued, ordered, late] = bucket;
  if (ordered.empty() && late.empty()) return false;
  if (!ordered.empty() && (late.empty() || ordered.front(pool_) < late.front())) {
    place = ordered.front(pool_);
    ordered.pop(pool_);
    return true;
  }
  place = late.front();
  std::pop_heap(late.begin(), late.end(), std::greater<>());
  late.pop_back();
  return true;
}

// Whether the pair noted at `place` is still there: merges in between may have taken a part.
template <class Table>
bool BasicMerger<Table>::stands(uint32_t place, uint32_t rank) const {
  if (ids_[place] == kGone) return false;
  const uint32_t next = place + sizes_[place];
  return next < ids_.size() && table_.is(rank, ids_[place], ids_[next]);
}

template <class Table>
void BasicMerger<Table>::apply(uint32_t place, uint32_t rank) {
  const uint32_t next = place + sizes_[place];
  const uint32_t size = sizes_[place] + sizes_[next];
  ids_[place] = table_.result(rank, ids_[place], ids_[next]);
  ids_[next] = kGone;
  sizes_[place] = sizes_[place + size - 1] = size;
  if (place > 0) note(place - sizes_[place - 1]);
  note(place);
}

template <class Table>
void BasicMerger<Table>::merge_long(std::vector<Token>& tokens, size_t from) {
  const size_t count = tokens.size() - from;
  bucket_of_.resize(table_.size(), kNone);
  ids_.resize(count);
  for (size_t i = 0; i < count; ++i) ids_[i] = tokens[from + i].id;
  sizes_.assign(count, 1);
  for (size_t i = 0; i + 1 < count; ++i) note(static_cast<uint32_t>(i));
  while (!queue_.empty()) {
    ++steps_;
    const uint32_t at = queue_.front();
    uint32_t place = 0;
    if (!take_place(buckets_[at], place)) {
      std::pop_heap(queue_.begin(), queue_.end(),
                    [&](uint32_t a, uint32_t b) { return buckets_[a].rank > buckets_[b].rank; });
      queue_.pop_back();
      buckets_[at].queued = false;
      continue;
    }
    const uint32_t rank = buckets_[at].rank;
    if (stands(place, rank)) apply(place, rank);
  }
  size_t kept = from;
  for (size_t i = 0; i < count; i += sizes_[i])
    tokens[kept++] = {ids_[i], tokens[from + i + sizes_[i] - 1].end};
  tokens.resize(kept);
  put_away();
}

template <class Table>
void BasicMerger<Table>::put_away() {
  for (const Bucket& bucket : buckets_) bucket_of_[bucket.rank] = kNone;
  buckets_.clear();
  pool_.reset(kSlabsKept);
  if (ids_.capacity() <= kKeep) return;
  ids_ = {};
  sizes_ = {};
}

}  // namespace jogak::text
