#include "generate/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"

namespace jogak {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Reads the best token and refuses scores that nothing can be drawn from.
int best_of(std::span<const float> logits) {
  int best = -1;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float x = logits[i];
    ensure(!std::isnan(x) && x != -kNever, "sampling: found the score ", x, " for token ", i,
           ", wanted a number: the model's weights or its input are broken");
    if (x > (best < 0 ? kNever : logits[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  ensure(best >= 0, "sampling: found no token that can come among ", logits.size(),
         ", wanted at least one");
  return best;
}

std::vector<float> penalized(std::span<const float> logits, std::span<const int> history,
                             double penalty) {
  std::vector<float> out(logits.begin(), logits.end());
  if (penalty != 1) penalize_repeats(out, history, penalty);
  return out;
}

// probability holds the weight relative to the best token, exp((x - best) / temperature), until
// the end: ratios are all that the filters look at.
bool better(const Candidate& a, const Candidate& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
}

double total(const std::vector<Candidate>& all) {
  double sum = 0;
  for (const Candidate& c : all) sum += c.probability;
  return sum;
}

void keep_top_p(std::vector<Candidate>& all, double top_p) {
  const double wanted = top_p * total(all);
  const auto worse = [](const Candidate& a, const Candidate& b) { return better(b, a); };
  std::vector<Candidate> heap = all;  // the best on top; only as many leave it as are kept
  std::make_heap(heap.begin(), heap.end(), worse);
  Candidate last = heap.front();
  for (double held = 0; !heap.empty();) {
    last = heap.front();
    held += last.probability;
    if (held >= wanted) break;
    std::pop_heap(heap.begin(), heap.end(), worse);
    heap.pop_back();
  }
  std::erase_if(all, [&](const Candidate& c) { return better(last, c); });
}

}  // namespace

void check(const SamplingOptions& o) {
  ensure<UsageError>(o.temperature >= 0 && std::isfinite(o.temperature), "temperature: found ",
                     o.temperature, ", wanted a number from 0");
  ensure<UsageError>(o.top_k >= 0, "top-k: found ", o.top_k, ", wanted a number from 0 (0: all)");
  ensure<UsageError>(o.top_p >= 0 && o.top_p <= 1, "top-p: found ", o.top_p, ", wanted 0 to 1");
  ensure<UsageError>(o.min_p >= 0 && o.min_p <= 1, "min-p: found ", o.min_p, ", wanted 0 to 1");
  ensure<UsageError>(o.repeat_penalty > 0 && std::isfinite(o.repeat_penalty),
                     "repeat penalty: found ", o.repeat_penalty, ", wanted a number above 0");
}

void penalize_repeats(std::span<float> logits, std::span<const int> history, double penalty) {
  std::vector<bool> seen(logits.size());
  const auto factor = static_cast<float>(penalty);
  for (const int id : history) {
    ensure(id >= 0, "sampling: found the token ", id, " in the text so far, wanted ids from 0");
    const auto at = static_cast<size_t>(id);
    if (at >= logits.size() || seen[at]) continue;
    seen[at] = true;
    logits[at] = logits[at] < 0 ? logits[at] * factor : logits[at] / factor;
  }
}

std::vector<Candidate> candidates(std::span<const float> logits, std::span<const int> history,
                                  const SamplingOptions& options) {
  check(options);
  std::vector<float> scores = penalized(logits, history, options.repeat_penalty);
  const int best = best_of(scores);
  if (options.temperature == 0) return {{best, 1}};

  float least = kNever;
  if (options.top_k > 0 && static_cast<size_t>(options.top_k) < scores.size()) {
    std::vector<float> order = scores;
    const auto kth = order.begin() + (options.top_k - 1);
    std::nth_element(order.begin(), kth, order.end(), std::greater<>());
    least = *kth;
  }
  const double top = scores[static_cast<size_t>(best)];
  std::vector<Candidate> all;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < least || scores[i] == kNever) continue;
    all.push_back({static_cast<int>(i), std::exp((scores[i] - top) / options.temperature)});
  }
  if (options.top_p < 1) keep_top_p(all, options.top_p);
  std::erase_if(all, [&](const Candidate& c) { return c.probability < options.min_p; });
  const double sum = total(all);
  for (Candidate& c : all) c.probability /= sum;
  return all;
}

int pick(std::span<const float> logits, std::span<const int> history,
         const SamplingOptions& options, Rng& rng) {
  const std::vector<Candidate> from = candidates(logits, history, options);
  if (options.temperature == 0) return from.front().id;
  double left = rng.uniform();
  for (const Candidate& c : from) {
    left -= c.probability;
    if (left < 0) return c.id;
  }
  // Rounding may leave a crumb: it belongs to the last token that can come at all.
  const auto last = std::find_if(from.rbegin(), from.rend(),
                                 [](const Candidate& c) { return c.probability > 0; });
  return last->id;
}

}  // namespace jogak
