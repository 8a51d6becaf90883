#include "generate/score_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/error.h"

namespace jogak {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

bool ends_with(std::span<const int> text, std::span<const int> end) {
  return text.size() >= end.size() && std::equal(end.begin(), end.end(), text.end() - end.size());
}

void forbid(std::span<float> scores, std::span<const int> ids) {
  for (const int id : ids)
    if (id >= 0 && static_cast<size_t>(id) < scores.size())
      scores[static_cast<size_t>(id)] = kForbidden;
}

void force(std::span<float> scores, std::span<const int> ids) {
  std::fill(scores.begin(), scores.end(), kForbidden);
  for (const int id : ids)
    if (id >= 0 && static_cast<size_t>(id) < scores.size()) scores[static_cast<size_t>(id)] = 0;
}

bool forces_first(const ScoreRules& r, const TextSoFar& text) {
  return r.forced_bos_token_id >= 0 && text.tokens.size() == 1;
}

bool forces_last(const ScoreRules& r, const TextSoFar& text) {
  return !r.forced_eos_token_ids.empty() &&
         static_cast<int64_t>(text.tokens.size()) == text.most - 1;
}

// How many steps the end tokens have been gaining; 0: not yet.
int64_t growth_steps(const ScoreRules& r, const TextSoFar& text) {
  if (!r.end_growth) return 0;
  const auto fresh = static_cast<int64_t>(text.tokens.size() - text.prompt);
  return std::max<int64_t>(0, fresh - r.end_growth->start);
}

// Before anything is forced: repeated n-grams, and ends that come too early.
void find_early(const ScoreRules& r, const TextSoFar& text, std::vector<int>& out) {
  find_repeated_ngrams(text.tokens, text.tokens, r.no_repeat_ngram_size, out);
  find_repeated_ngrams(text.tokens, text.source, r.encoder_no_repeat_ngram_size, out);
  const int64_t least =
      r.min_new_tokens > 0 ? static_cast<int64_t>(text.prompt) + r.min_new_tokens : r.min_length;
  if (static_cast<int64_t>(text.tokens.size()) < least)
    out.insert(out.end(), text.ends.begin(), text.ends.end());
}

// After everything else.
void find_late(const ScoreRules& r, const TextSoFar& text, std::vector<int>& out) {
  out.insert(out.end(), r.suppress_tokens.begin(), r.suppress_tokens.end());
  // A forced first token is not what begins the text: the one after it is.
  const bool forced = text.prompt <= 1 && r.forced_bos_token_id >= 0;
  if (text.tokens.size() == text.prompt + (forced ? 1 : 0))
    out.insert(out.end(), r.begin_suppress_tokens.begin(), r.begin_suppress_tokens.end());
}

}  // namespace

void penalize_repeats(std::span<float> scores, std::span<const int> seen, double penalty) {
  std::vector<bool> done(scores.size());
  const auto factor = static_cast<float>(penalty);
  for (const int id : seen) {
    ensure(id >= 0, "sampling: found the token ", id, " in the text so far, wanted ids from 0");
    const auto at = static_cast<size_t>(id);
    if (at >= scores.size() || done[at]) continue;
    done[at] = true;
    scores[at] = scores[at] < 0 ? scores[at] * factor : scores[at] / factor;
  }
}

void penalize_use(std::span<float> scores, std::span<const int> written, double presence,
                  double frequency) {
  std::map<int, int> counts;
  for (const int id : written) ++counts[id];
  for (const auto& [id, count] : counts)
    if (static_cast<size_t>(id) < scores.size())
      scores[static_cast<size_t>(id)] -= static_cast<float>(presence + frequency * count);
}

void add_bias(std::span<float> scores, std::span<const int> text,
              std::span<const BiasedSequence> biased) {
  // Single tokens first; what a token gains is summed before it is added to its score.
  std::vector<std::pair<int, float>> sums;
  for (const bool single : {true, false}) {
    for (const BiasedSequence& one : biased) {
      if ((one.ids.size() == 1) != single || one.ids.empty()) continue;
      if (!ends_with(text, std::span(one.ids).first(one.ids.size() - 1))) continue;
      const int last = one.ids.back();
      auto found = std::find_if(sums.begin(), sums.end(),
                                [&](const auto& sum) { return sum.first == last; });
      if (found == sums.end()) found = sums.insert(sums.end(), {last, 0.f});
      found->second += static_cast<float>(one.bias);
    }
  }
  for (const auto& [id, bias] : sums)
    if (static_cast<size_t>(id) < scores.size()) scores[static_cast<size_t>(id)] += bias;
}

void remove_invalid(std::span<float> scores) {
  for (float& x : scores) {
    if (std::isnan(x)) x = 0;
    x = std::clamp(x, -kLargest, kLargest);
  }
}

void grow_ends(std::span<float> scores, std::span<const int> ends, double factor, int64_t steps) {
  const auto gain = static_cast<float>(std::pow(factor, static_cast<double>(steps)) - 1);
  for (size_t i = 0; i < ends.size(); ++i) {
    if (std::count(ends.begin(), ends.begin() + static_cast<ptrdiff_t>(i), ends[i]) > 0) continue;
    float& x = scores[static_cast<size_t>(ends[i])];
    if (x != 0 && std::isfinite(x)) x = std::min(x + std::abs(x) * gain, kLargest);
  }
}

void find_repeated_ngrams(std::span<const int> text, std::span<const int> from, int64_t size,
                          std::vector<int>& out) {
  const auto n = static_cast<size_t>(std::max<int64_t>(0, size));
  if (n == 0 || text.size() + 1 < n || from.size() < n) return;
  const auto end = text.last(n - 1);
  for (size_t at = 0; at + n <= from.size(); ++at)
    if (std::equal(end.begin(), end.end(), from.begin() + static_cast<ptrdiff_t>(at)))
      out.push_back(from[at + n - 1]);
}

void find_completions(std::span<const int> text, std::span<const std::vector<int>> sequences,
                      std::span<const int> ends, std::vector<int>& out) {
  for (const std::vector<int>& one : sequences) {
    if (one.empty() || !ends_with(text, std::span(one).first(one.size() - 1))) continue;
    // An end token alone is never a bad word: the text could not end.
    const bool is_end = one.size() == 1 && std::count(ends.begin(), ends.end(), one[0]) > 0;
    if (!is_end) out.push_back(one.back());
  }
}

void apply(const ScoreRules& r, const TextSoFar& text, std::span<float> scores) {
  std::vector<int> forbidden;
  if (!r.sequence_bias.empty()) add_bias(scores, text.tokens, r.sequence_bias);
  if (r.encoder_repetition_penalty != 1)
    penalize_repeats(scores, text.source, 1 / r.encoder_repetition_penalty);
  if (r.repetition_penalty != 1) penalize_repeats(scores, text.tokens, r.repetition_penalty);
  if (r.presence_penalty != 0 || r.frequency_penalty != 0)
    penalize_use(scores, text.tokens.subspan(text.prompt), r.presence_penalty, r.frequency_penalty);
  // A bias of -infinity: what an infinite score becomes of it is not a number.
  find_completions(text.tokens, r.bad_words_ids, text.ends, forbidden);
  for (const int id : forbidden)
    if (static_cast<size_t>(id) < scores.size()) scores[static_cast<size_t>(id)] += kForbidden;
  forbidden.clear();
  find_early(r, text, forbidden);
  forbid(scores, forbidden);
  if (forces_first(r, text)) force(scores, {&r.forced_bos_token_id, 1});
  if (forces_last(r, text)) force(scores, r.forced_eos_token_ids);
  if (r.remove_invalid_values) remove_invalid(scores);
  if (const int64_t steps = growth_steps(r, text))
    grow_ends(scores, text.ends, r.end_growth->factor, steps);
  forbidden.clear();
  find_late(r, text, forbidden);
  forbid(scores, forbidden);
}

std::optional<std::vector<int>> only_forbidden(const ScoreRules& r, const TextSoFar& text) {
  const bool more = !r.sequence_bias.empty() || r.encoder_repetition_penalty != 1 ||
                    r.repetition_penalty != 1 || r.presence_penalty != 0 ||
                    r.frequency_penalty != 0 || r.remove_invalid_values || forces_first(r, text) ||
                    forces_last(r, text) || growth_steps(r, text) > 0;
  if (more) return std::nullopt;
  std::vector<int> out;
  find_completions(text.tokens, r.bad_words_ids, text.ends, out);
  find_early(r, text, out);
  find_late(r, text, out);
  return out;
}

}  // namespace jogak
