#include "generate/beam.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "generate/cached_step.h"

namespace jogak {
namespace {

struct Beam {
  int cached = -1;          // its sequence in the cache
  std::vector<int> tokens;  // prompt and new
  double log_probability = 0;
};

// A beam and one token more.
struct Step {
  double log_probability = 0;
  size_t beam = 0;
  int token = 0;
};

bool better(const Step& a, const Step& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.beam != b.beam ? a.beam < b.beam : a.token < b.token;
}

void keep_best(std::vector<Step>& steps, size_t count) {
  const auto end = steps.begin() + static_cast<ptrdiff_t>(std::min(count, steps.size()));
  std::partial_sort(steps.begin(), end, steps.end(), better);
  steps.erase(end, steps.end());
}

void to_log_probabilities(std::span<float> scores) {
  float best = -INFINITY;
  for (size_t i = 0; i < scores.size(); ++i) {
    ensure(!std::isnan(scores[i]) && scores[i] != INFINITY, "beam search: found the score ",
           scores[i], " for token ", i,
           ", wanted a number: the model's weights or its input are broken");
    best = std::max(best, scores[i]);
  }
  ensure(best != -INFINITY, "beam search: found no token that can come among ", scores.size(),
         ", wanted at least one");
  double sum = 0;
  for (const float x : scores) sum += std::exp(static_cast<double>(x) - best);
  const double log_sum = best + std::log(sum);
  for (float& x : scores) x = static_cast<float>(x - log_sum);
}

class Search {
 public:
  Search(const CausalModel& model, std::span<const int> prompt, const BeamOptions& options,
         const std::atomic<bool>* stop)
      : model_(model),
        options_(options),
        stop_(stop),
        prompt_(prompt.size()),
        most_new_(room_for(model, prompt.size(), options.max_new)),
        cache_(model.cache) {
    running_.push_back({cache_.add(), {prompt.begin(), prompt.end()}, 0});
  }

  std::vector<BeamText> run() {
    while (advance()) continue;
    finished_.resize(std::min(finished_.size(), static_cast<size_t>(options_.n_best)));
    return std::move(finished_);
  }

 private:
  bool full() const { return finished_.size() == static_cast<size_t>(options_.beams); }
  bool ends(int token) const {
    return std::find(options_.eos_ids.begin(), options_.eos_ids.end(), token) !=
           options_.eos_ids.end();
  }
  double scored(double log_probability, int64_t length) const {
    return log_probability / std::pow(static_cast<double>(length), options_.length_penalty);
  }

  std::vector<Step> best_steps(int64_t length);
  void finish(const Step& step, int64_t length);
  void go_on(const std::vector<Step>& steps);
  bool may_improve(int64_t length) const;
  bool advance();

  const CausalModel& model_;
  const BeamOptions& options_;
  const std::atomic<bool>* stop_;
  size_t prompt_;
  int64_t most_new_;
  KvCache cache_;
  std::vector<Beam> running_;
  std::vector<BeamText> finished_;  // best first, at most `beams`
};

// Every end token may take up to `beams` places; beyond those there are `beams` to go on with.
std::vector<Step> Search::best_steps(int64_t length) {
  CachedStep step;
  for (const Beam& beam : running_) {
    const size_t fresh = length == 1 ? prompt_ : 1;
    step.add(beam.cached, std::span(beam.tokens).last(fresh));
  }
  std::vector<float> scores = last_logits(model_, cache_, step, stop_);
  const size_t width = static_cast<size_t>(model_.vocab);
  const size_t most =
      std::max<size_t>(2, 1 + options_.eos_ids.size()) * static_cast<size_t>(options_.beams);
  std::vector<Step> all, own;
  for (size_t b = 0; b < running_.size(); ++b) {
    const std::span<float> row = std::span(scores).subspan(b * width, width);
    to_log_probabilities(row);
    if (options_.repeat_penalty != 1)
      penalize_repeats(row, running_[b].tokens, options_.repeat_penalty);
    own.clear();
    for (size_t token = 0; token < width; ++token)
      if (row[token] != -INFINITY)
        own.push_back({running_[b].log_probability + row[token], b, static_cast<int>(token)});
    keep_best(own, most);
    all.insert(all.end(), own.begin(), own.end());
  }
  keep_best(all, most);
  return all;
}

void Search::finish(const Step& step, int64_t length) {
  const std::vector<int>& before = running_[step.beam].tokens;
  BeamText text;
  text.ids.assign(before.begin() + static_cast<ptrdiff_t>(prompt_), before.end());
  text.ids.push_back(step.token);
  text.score = scored(step.log_probability, length);
  text.finish_reason = ends(step.token) ? FinishReason::stop : FinishReason::length;
  const auto place = std::find_if(finished_.begin(), finished_.end(),
                                  [&](const BeamText& other) { return other.score < text.score; });
  finished_.insert(place, std::move(text));
  if (finished_.size() > static_cast<size_t>(options_.beams)) finished_.pop_back();
}

// The chosen continuations become the running beams. The first child of a beam takes over its
// cached sequence, the others get a copy that shares its pages.
void Search::go_on(const std::vector<Step>& steps) {
  std::vector<Beam> next;
  std::vector<bool> taken(running_.size());
  for (const Step& step : steps) {
    const Beam& from = running_[step.beam];
    Beam beam{taken[step.beam] ? cache_.fork(from.cached) : from.cached, from.tokens,
              step.log_probability};
    beam.tokens.push_back(step.token);
    taken[step.beam] = true;
    next.push_back(std::move(beam));
  }
  for (size_t b = 0; b < running_.size(); ++b)
    if (!taken[b]) cache_.remove(running_[b].cached);
  running_ = std::move(next);
}

bool Search::may_improve(int64_t length) const {
  if (!full()) return true;
  if (options_.early_stopping == EarlyStopping::yes) return false;
  const bool hopeful =
      options_.early_stopping == EarlyStopping::never && options_.length_penalty > 0;
  const double best = scored(running_.front().log_probability, hopeful ? most_new_ : length);
  return best > finished_.back().score;
}

bool Search::advance() {
  const auto length = static_cast<int64_t>(running_.front().tokens.size() - prompt_) + 1;
  const bool last = length == most_new_;
  const auto beams = static_cast<size_t>(options_.beams);
  std::vector<Step> going;
  const std::vector<Step> steps = best_steps(length);
  for (size_t rank = 0; rank < steps.size(); ++rank) {
    const bool ended = last || ends(steps[rank].token);
    if (!ended && going.size() < beams) going.push_back(steps[rank]);
    // Only the best `beams` may finish: the others are there to replace them.
    if (ended && rank < beams) finish(steps[rank], length);
  }
  if (going.empty()) return false;
  go_on(going);
  return may_improve(length);
}

}  // namespace

void check(const BeamOptions& o) {
  ensure<UsageError>(o.beams >= 1 && o.beams <= 1024, "beams: found ", o.beams,
                     ", wanted 1 to 1024");
  ensure<UsageError>(o.n_best >= 1 && o.n_best <= o.beams, "n-best: found ", o.n_best,
                     ", wanted 1 to the number of beams, ", o.beams);
  ensure<UsageError>(std::isfinite(o.length_penalty), "length penalty: found ", o.length_penalty,
                     ", wanted a finite number");
  ensure<UsageError>(o.repeat_penalty > 0 && std::isfinite(o.repeat_penalty),
                     "repeat penalty: found ", o.repeat_penalty, ", wanted a number above 0");
}

std::vector<BeamText> beam_search(const CausalModel& model, std::span<const int> prompt,
                                  const BeamOptions& options, const std::atomic<bool>* stop) {
  check(options);
  check_prompt(model, prompt);
  return Search(model, prompt, options, stop).run();
}

}  // namespace jogak
