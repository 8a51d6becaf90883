#include "generate/next_scores.h"

#include <algorithm>

#include "ops/pick.h"

namespace jogak {
namespace {

constexpr size_t kMostKept = 8;     // numbers of sequences whose steps stay recorded
constexpr int64_t kFirstRoom = 16;  // pages of a sequence

}  // namespace

NextScores Scorer::after(const Tensor& ids, CacheStep& rows, std::span<const int64_t> wants) {
  NextScores out;
  out.logits = scores_after(model_, ids, rows, {.cache = cache_, .stop = stop_, .wants = wants});
  out.best = argmax_finite(out.logits);
  return out;
}

NextScores Scorer::operator()(const CachedStep& step) {
  const bool one_each =
      std::all_of(step.counts.begin(), step.counts.end(), [](int64_t count) { return count == 1; });
  if (records_ && one_each) return one_more_each(step);
  CacheStep rows = cache_.begin(step.sequences, step.counts);
  return after(from_values(step.ids, {1, rows.rows()}, cache_.device()), rows, step.wants);
}

NextScores Scorer::one_more_each(const CachedStep& step) {
  Kept& kept = kept_for(step.sequences.size());
  const Tensor tables = kept.rows.tables;
  cache_.begin(step.sequences, step.counts, kept.rows);
  if (const int64_t pages = kept.rows.runs.pages.dim(1); pages > kept.rows.room)
    kept.rows.room = 2 * pages;  // from the next step on
  const bool moved = !tables.defined() || tables.raw() != kept.rows.tables.raw();
  if (moved) kept.work = nullptr, kept.scores = {};
  cache_.device().write(kept.ids.storage()->data(), step.ids.data(),
                        step.ids.size() * sizeof(int64_t));
  if (kept.work) {
    ensure<Stopped>(!stop_ || !stop_->load(std::memory_order_relaxed), "stopped");
    kept.work->start();
    return kept.scores;
  }
  const NextScores now = after(kept.ids, kept.rows);
  NextScores later;
  kept.work = cache_.device().record([&] { later = after(kept.ids, kept.rows); });
  kept.scores = later;
  if (!kept.work) records_ = false, kept.scores = {};
  return now;
}

Scorer::Kept& Scorer::kept_for(size_t sequences) {
  if (kept_.size() == kMostKept && !kept_.contains(sequences))
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    }));
  Kept& out = kept_[sequences];
  if (out.used == 0) {
    out.rows.room = kFirstRoom;
    out.ids = empty({1, static_cast<int64_t>(sequences)}, DType::i64, cache_.device());
  }
  out.used = ++steps_;
  return out;
}

}  // namespace jogak
