#include "generate/likeliest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace jogak {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kHopeless = -1e9f;  // what an empty beam has in transformers: none is worse

struct Ranked {
  float probability;
  int token;
};

// The likelier first, of equals the lower id.
bool before(const Ranked& a, const Ranked& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
}

// Keeps the best so far, the worst of them on top of a heap.
class Best {
 public:
  explicit Best(size_t count) : count_(count) { heap_.reserve(count + 1); }

  bool full() const { return heap_.size() == count_; }
  float least() const { return heap_.front().probability; }
  void add(const Ranked& candidate) {
    if (full() && !before(candidate, heap_.front())) return;
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), before);
    if (heap_.size() <= count_) return;
    std::pop_heap(heap_.begin(), heap_.end(), before);
    heap_.pop_back();
  }
  const std::vector<Ranked>& sorted() {
    std::sort_heap(heap_.begin(), heap_.end(), before);
    return heap_;
  }

 private:
  size_t count_;
  std::vector<Ranked> heap_;
};

constexpr size_t kStretch = 32;

// Whether one of the next kStretch is above `least`, or no number.
bool any_above(const float* probabilities, float least) {
  unsigned any = 0;
  for (size_t i = 0; i < kStretch; ++i) any |= !(probabilities[i] <= least) ? 1U : 0U;
  return any != 0;
}

}  // namespace

std::vector<NextToken> likeliest(std::span<const float> probabilities, const LikeliestOptions& o) {
  Best best(o.count);
  std::vector<int> apart(o.never.begin(), o.never.end());
  std::sort(apart.begin(), apart.end());
  // In probabilities first: a logarithm only for what may stay. Tokens come in the order of their
  // ids, so an equal one later never takes a place.
  float least = 0;
  size_t next = 0;
  double allowed = 0;
  for (size_t token = 0; token < probabilities.size(); ++token) {
    const bool begins = token % kStretch == 0 && token + kStretch <= probabilities.size();
    if (begins && !o.renormalize && !any_above(&probabilities[token], least)) {
      token += kStretch - 1;
      continue;
    }
    const float p = probabilities[token];
    ensure(p == p, "beam search: found no number as the probability of token ", token,
           ": the model's weights or its input are broken");
    if (p <= least && !o.renormalize) continue;
    while (next < apart.size() && static_cast<size_t>(apart[next]) < token) ++next;
    if (next < apart.size() && static_cast<size_t>(apart[next]) == token) continue;
    allowed += p;
    if (p <= least) continue;
    best.add({p, static_cast<int>(token)});
    if (best.full()) least = best.least();
  }
  const double shift = o.renormalize ? std::log(allowed) : 0;
  std::vector<NextToken> out;
  for (const Ranked& one : best.sorted())
    out.push_back({std::log(static_cast<double>(one.probability)) - shift, one.token});
  return out;
}

void to_log_probabilities(std::span<float> logits, std::span<const float> probabilities) {
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  const double top = logits[static_cast<size_t>(best)];
  const double sum = top - std::log(static_cast<double>(probabilities[static_cast<size_t>(best)]));
  for (float& x : logits) x = static_cast<float>(x - sum);
}

std::vector<NextToken> highest(std::span<const float> scores, size_t count) {
  std::vector<NextToken> out;
  for (size_t i = 0; i < scores.size(); ++i) {
    ensure(!std::isnan(scores[i]) && scores[i] != kInfinity, "beam search: found the score ",
           scores[i], " for token ", i, ", wanted a number");
    if (scores[i] > kHopeless) out.push_back({scores[i], static_cast<int>(i)});
  }
  const auto end = out.begin() + static_cast<ptrdiff_t>(std::min(count, out.size()));
  std::partial_sort(out.begin(), end, out.end(), [](const NextToken& a, const NextToken& b) {
    return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                  : a.token < b.token;
  });
  out.erase(end, out.end());
  return out;
}

void renormalize(std::vector<NextToken>& all) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const NextToken& one : all) top = std::max(top, one.log_probability);
  for (const NextToken& one : all) sum += std::exp(one.log_probability - top);
  for (NextToken& one : all) one.log_probability -= top + std::log(sum);
}

}  // namespace jogak
