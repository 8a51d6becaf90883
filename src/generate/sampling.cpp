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
int best_of(std::span<const float> scores) {
  int best = -1;
  for (size_t i = 0; i < scores.size(); ++i) {
    const float x = scores[i];
    ensure(!std::isnan(x) && x != -kNever, "sampling: found the score ", x, " for token ", i,
           ", wanted a number: the model's weights or its input are broken");
    if (x > (best < 0 ? kNever : scores[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  ensure(best >= 0, "sampling: found no token that can come among ", scores.size(),
         ", wanted at least one");
  return best;
}

// probability holds the weight relative to the best token, exp((x - best) / temperature), until
// the end: ratios are all that the filters look at.
using Candidates = std::vector<Candidate>;

bool likelier(const Candidate& a, const Candidate& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
}

double total(const Candidates& all) {
  double sum = 0;
  for (const Candidate& c : all) sum += c.probability;
  return sum;
}

double surprise(const Candidate& c, double sum) { return -std::log(c.probability / sum); }

double entropy(const Candidates& all, double sum) {
  double out = 0;
  for (const Candidate& c : all)
    if (c.probability > 0) out += c.probability / sum * surprise(c, sum);
  return out;
}

Candidates likeliest_of(Candidates all, size_t count) {
  const auto end = all.begin() + static_cast<ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), end, all.end(), likelier);
  all.erase(end, all.end());
  return all;
}

// The weight of the best, the second best, ..: the least that `keep` of them have.
double weight_of_best(const Candidates& all, int64_t keep) {
  std::vector<double> order;
  for (const Candidate& c : all) order.push_back(c.probability);
  const auto last = order.begin() + std::min<ptrdiff_t>(keep, std::ssize(order)) - 1;
  std::nth_element(order.begin(), last, order.end(), std::greater<>());
  return *last;
}

void keep_top_h(Candidates& all, double share) {
  constexpr size_t kMost = 100;  // transformers looks at no more
  Candidates best = likeliest_of(all, kMost);
  const double sum = total(best), wanted = share * entropy(best, sum);
  double held = 0;
  size_t count = 0;
  for (const Candidate& c : best) {
    held += c.probability > 0 ? c.probability / sum * surprise(c, sum) : 0;
    if (count > 0 && held > wanted) break;
    ++count;
  }
  const Candidate last = best[count - 1];
  std::erase_if(all, [&](const Candidate& c) { return likelier(last, c); });
}

void keep_top_k(Candidates& all, int64_t k) {
  if (k >= std::ssize(all)) return;
  const double least = weight_of_best(all, k);
  std::erase_if(all, [&](const Candidate& c) { return c.probability < least; });
}

void keep_top_p(Candidates& all, double top_p, int64_t keep) {
  const double wanted = top_p * total(all);
  const auto worse = [](const Candidate& a, const Candidate& b) { return likelier(b, a); };
  Candidates heap = all;  // the best on top; only as many leave it as are kept
  std::make_heap(heap.begin(), heap.end(), worse);
  Candidate last = heap.front();
  double held = 0;
  for (int64_t kept = 1; !heap.empty(); ++kept) {
    last = heap.front();
    held += last.probability;
    if (held >= wanted && kept >= keep) break;
    std::pop_heap(heap.begin(), heap.end(), worse);
    heap.pop_back();
  }
  std::erase_if(all, [&](const Candidate& c) { return likelier(last, c); });
}

// Those whose surprise is nearest to the mean surprise.
void keep_typical(Candidates& all, double share, int64_t keep) {
  const double sum = total(all), mean = entropy(all, sum);
  const auto strange = [&](const Candidate& c) { return std::abs(surprise(c, sum) - mean); };
  Candidates order = all;
  std::stable_sort(order.begin(), order.end(),
                   [&](const Candidate& a, const Candidate& b) { return strange(a) < strange(b); });
  double held = 0;
  size_t last = 0;
  for (; last + 1 < order.size(); ++last)
    if ((held += order[last].probability / sum) >= share) break;
  last = std::max(last, std::min(static_cast<size_t>(keep), order.size()) - 1);
  const double most = strange(order[last]);
  std::erase_if(all, [&](const Candidate& c) { return strange(c) > most; });
}

// What weighs at least so much, and the best `keep` whatever they weigh.
void keep_heavy(Candidates& all, double least, int64_t keep) {
  const double best = weight_of_best(all, keep);
  std::erase_if(all,
                [&](const Candidate& c) { return c.probability < least && c.probability < best; });
}

void filter(Candidates& all, const SamplingOptions& o) {
  if (o.top_p < 1) keep_top_p(all, o.top_p, o.keep);
  if (o.min_p > 0) keep_heavy(all, o.min_p, o.keep);  // the best weighs 1
  if (o.typical_p < 1) keep_typical(all, o.typical_p, o.keep);
  if (o.epsilon_cutoff > 0) keep_heavy(all, o.epsilon_cutoff * total(all), o.keep);
  if (o.eta_cutoff > 0) {
    const double sum = total(all);
    const double wide = std::sqrt(o.eta_cutoff) * std::exp(-entropy(all, sum));
    keep_heavy(all, std::min(o.eta_cutoff, wide) * sum, o.keep);
  }
}

// The lowest score that top-k keeps; found among scores, before anything is exponentiated.
float least_of_top_k(std::span<const float> scores, int64_t k) {
  if (k == 0 || static_cast<size_t>(k) >= scores.size()) return kNever;
  std::vector<float> order(scores.begin(), scores.end());
  const auto kth = order.begin() + (k - 1);
  std::nth_element(order.begin(), kth, order.end(), std::greater<>());
  return *kth;
}

}  // namespace

void check(const SamplingOptions& o) {
  ensure<UsageError>(o.temperature >= 0 && std::isfinite(o.temperature), "temperature: found ",
                     o.temperature, ", wanted a number from 0");
  ensure<UsageError>(o.top_k >= 0, "top-k: found ", o.top_k, ", wanted a number from 0 (0: all)");
  const auto share = [](const char* name, double value) {
    ensure<UsageError>(value >= 0 && value <= 1, name, ": found ", value, ", wanted 0 to 1");
  };
  share("top-h", o.top_h);
  share("top-p", o.top_p);
  share("min-p", o.min_p);
  share("typical-p", o.typical_p);
  share("epsilon-cutoff", o.epsilon_cutoff);
  share("eta-cutoff", o.eta_cutoff);
}

std::vector<Candidate> candidates(std::span<const float> scores, const SamplingOptions& o) {
  check(o);
  const int best = best_of(scores);
  if (o.temperature == 0) return {{best, 1}};
  const int64_t top_k = o.top_k > 0 ? std::max(o.top_k, o.keep) : 0;
  const float least = o.top_h > 0 ? kNever : least_of_top_k(scores, top_k);
  const double top = scores[static_cast<size_t>(best)];
  Candidates all;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < least || scores[i] == kNever) continue;
    all.push_back({static_cast<int>(i), std::exp((scores[i] - top) / o.temperature)});
  }
  if (o.top_h > 0) {
    keep_top_h(all, o.top_h);
    if (top_k > 0) keep_top_k(all, top_k);
  }
  filter(all, o);
  const double sum = total(all);
  for (Candidate& c : all) c.probability /= sum;
  return all;
}

std::vector<Candidate> shown(std::span<const float> scores, const SamplingOptions& options,
                             size_t count) {
  return likeliest_of(
      candidates(scores, options.temperature > 0 ? options : SamplingOptions{.temperature = 1}),
      count);
}

int pick(std::span<const float> scores, const SamplingOptions& options, Rng& rng) {
  const std::vector<Candidate> from = candidates(scores, options);
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
