#include "generate/likeliest.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace jogak {
namespace {

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

}  // namespace

std::vector<NextToken> likeliest(std::span<const float> probabilities, const LikeliestOptions& o) {
  Best best(o.count);
  std::vector<int> apart(o.never.begin(), o.never.end());
  if (o.repeat_penalty != 1) apart.insert(apart.end(), o.seen.begin(), o.seen.end());
  std::sort(apart.begin(), apart.end());
  apart.erase(std::unique(apart.begin(), apart.end()), apart.end());
  // In probabilities first: a logarithm only for what may stay. Tokens come in the order of their
  // ids, so an equal one later never takes a place.
  float least = 0;
  size_t next = 0;
  for (size_t token = 0; token < probabilities.size(); ++token) {
    const float p = probabilities[token];
    ensure(p == p, "beam search: found no number as the probability of token ", token,
           ": the model's weights or its input are broken");
    if (p <= least) continue;
    while (next < apart.size() && static_cast<size_t>(apart[next]) < token) ++next;
    if (next < apart.size() && static_cast<size_t>(apart[next]) == token) continue;
    best.add({p, static_cast<int>(token)});
    if (best.full()) least = best.least();
  }
  std::vector<NextToken> out;
  for (const Ranked& one : best.sorted())
    out.push_back({std::log(static_cast<double>(one.probability)), one.token});
  if (o.repeat_penalty == 1) return out;
  for (const int token : apart) {
    const bool real = token >= 0 && static_cast<size_t>(token) < probabilities.size();
    const bool barred = std::find(o.never.begin(), o.never.end(), token) != o.never.end();
    if (!real || barred || probabilities[static_cast<size_t>(token)] <= 0) continue;
    const double p = probabilities[static_cast<size_t>(token)];
    out.push_back({std::log(p) * o.repeat_penalty, token});
  }
  std::sort(out.begin(), out.end(), [](const NextToken& a, const NextToken& b) {
    return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                  : a.token < b.token;
  });
  out.resize(std::min(out.size(), o.count));
  return out;
}

}  // namespace jogak
