#include "generate/likeliest.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace jogak {
namespace {

// Keeps the best so far, the worst of them on top of a heap.
class Best {
 public:
  explicit Best(size_t count) : count_(count) { heap_.reserve(count + 1); }

  bool full() const { return heap_.size() == count_; }
  const NextToken& worst() const { return heap_.front(); }
  void add(const NextToken& token) {
    if (full() && !token.before(worst())) return;
    heap_.push_back(token);
    std::push_heap(heap_.begin(), heap_.end(), order);
    if (heap_.size() <= count_) return;
    std::pop_heap(heap_.begin(), heap_.end(), order);
    heap_.pop_back();
  }
  std::vector<NextToken> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end(), order);
    return std::move(heap_);
  }

 private:
  static bool order(const NextToken& a, const NextToken& b) { return a.before(b); }

  size_t count_;
  std::vector<NextToken> heap_;
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
    best.add({static_cast<double>(p), static_cast<int>(token)});
    if (best.full()) least = static_cast<float>(best.worst().log_probability);
  }
  std::vector<NextToken> out = std::move(best).sorted();
  for (NextToken& one : out) one.log_probability = std::log(one.log_probability);
  if (o.repeat_penalty == 1) return out;
  for (const int token : apart) {
    const bool real = token >= 0 && static_cast<size_t>(token) < probabilities.size();
    const bool barred = std::find(o.never.begin(), o.never.end(), token) != o.never.end();
    if (!real || barred || probabilities[static_cast<size_t>(token)] <= 0) continue;
    const double p = probabilities[static_cast<size_t>(token)];
    out.push_back({std::log(p) * o.repeat_penalty, token});
  }
  std::sort(out.begin(), out.end(),
            [](const NextToken& a, const NextToken& b) { return a.before(b); });
  out.resize(std::min(out.size(), o.count));
  return out;
}

}  // namespace jogak
