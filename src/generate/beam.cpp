#include "generate/beam.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "generate/cached_step.h"
#include "generate/likeliest.h"
#include "generate/sampling.h"
#include "generate/score_rules.h"
#include "ops/softmax.h"

namespace jogak {
namespace {

struct Beam {
  int cached = -1;          // its sequence in the cache
  std::vector<int> tokens;  // prompt and new
  double log_probability = 0;
  std::vector<NextToken> next = {};  // what may follow, when it was scored
  std::vector<std::vector<Candidate>> shown = {};
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

// One text's search. It lists the rows it wants scored and takes the scores; whoever owns many
// makes one pass of the model for all.
class Search {
 public:
  Search(const CausalModel& model, KvCache& cache, const BeamRequest& request,
         const BeamOptions& options)
      : options_(options),
        cache_(cache),
        prompt_(request.prompt.size()),
        source_(request.source),
        source_ids_(request.source < 0 ? request.prompt : request.source_ids),
        rng_(options.sampling.seed, request.stream),
        most_new_(room_for(model, request.prompt.size(),
                           request.max_new > 0 ? request.max_new : options.max_new)) {
    running_.push_back({cache_.add(), request.prompt, 0});
  }

  size_t rows() const { return running_.size(); }
  void list(CachedStep& step) const {
    const size_t fresh = length() == 1 ? prompt_ : 1;
    for (const Beam& beam : running_)
      step.add(beam.cached, std::span(beam.tokens).last(fresh), source_);
  }
  // What may follow beam b, by the model's scores and their softmax.
  void score(size_t b, std::span<const float> logits, std::span<const float> probabilities);
  bool advance();  // after every beam was scored; false: the search is over
  std::vector<BeamText> take() {
    finished_.resize(std::min(finished_.size(), static_cast<size_t>(options_.n_best)));
    return std::move(finished_);
  }

 private:
  int64_t length() const {
    return static_cast<int64_t>(running_.front().tokens.size() - prompt_) + 1;
  }
  bool draws() const { return options_.sampling.temperature > 0; }
  // Every end token may take up to `beams` places; beyond those there are `beams` to go on with.
  size_t most() const {
    return std::max<size_t>(2, 1 + options_.eos_ids.size()) * static_cast<size_t>(options_.beams);
  }
  bool full() const { return finished_.size() == static_cast<size_t>(options_.beams); }
  bool ends(int token) const {
    return std::find(options_.eos_ids.begin(), options_.eos_ids.end(), token) !=
           options_.eos_ids.end();
  }
  double scored(double log_probability, int64_t length) const {
    return log_probability / std::pow(static_cast<double>(length), options_.length_penalty);
  }

  std::vector<NextToken> next_of_rules(size_t b, const TextSoFar& text,
                                       std::span<const float> logits,
                                       std::span<const float> probabilities);
  std::vector<Step> best_steps();
  void finish(const Step& step, int64_t length);
  void go_on(const std::vector<Step>& steps);
  bool may_improve(int64_t length) const;

  const BeamOptions& options_;
  KvCache& cache_;
  size_t prompt_;
  int source_;
  std::vector<int> source_ids_;
  Rng rng_;
  int64_t most_new_;
  std::vector<Beam> running_;
  std::vector<BeamText> finished_;  // best first, at most `beams`
};

void Search::score(size_t b, std::span<const float> logits, std::span<const float> probabilities) {
  const TextSoFar text{.tokens = running_[b].tokens,
                       .prompt = prompt_,
                       .source = source_ids_,
                       .most = static_cast<int64_t>(prompt_) + most_new_,
                       .ends = options_.eos_ids};
  const bool plain = !draws() && options_.show == 0;
  const auto forbidden = plain ? only_forbidden(options_.rules, text) : std::nullopt;
  running_[b].next = forbidden ? likeliest(probabilities, {.count = options_.beams > 1 ? most() : 1,
                                                           .never = *forbidden,
                                                           .renormalize = options_.renormalize})
                               : next_of_rules(b, text, logits, probabilities);
}

// With one beam the rules see logits, and the token they choose counts by the model's probability.
// With several they see log probabilities, and what they make of them counts.
std::vector<NextToken> Search::next_of_rules(size_t b, const TextSoFar& text,
                                             std::span<const float> logits,
                                             std::span<const float> probabilities) {
  std::vector<float> scores(logits.begin(), logits.end());
  if (options_.beams > 1) to_log_probabilities(scores, probabilities);
  apply(options_.rules, text, scores);
  if (options_.show > 0)
    running_[b].shown.push_back(shown(scores, options_.sampling, options_.show));
  if (options_.beams == 1) {
    const int token = pick(scores, options_.sampling, rng_);
    return {{std::log(static_cast<double>(probabilities[static_cast<size_t>(token)])), token}};
  }
  std::vector<NextToken> out;
  if (draws()) {
    for (const Candidate& c : candidates(scores, options_.sampling))
      out.push_back({scores[static_cast<size_t>(c.id)] / options_.sampling.temperature, c.id});
  } else {
    out = highest(scores, options_.renormalize ? scores.size() : most());
  }
  if (options_.renormalize) renormalize(out);
  return out;
}

// The best continuations of all beams, best first; drawn ones in the order they were drawn.
std::vector<Step> Search::best_steps() {
  std::vector<Step> all;
  for (size_t b = 0; b < running_.size(); ++b)
    for (const NextToken& next : running_[b].next)
      all.push_back({running_[b].log_probability + next.log_probability, b, next.token});
  if (!draws() || options_.beams == 1) {
    keep_best(all, most());
    return all;
  }
  // Without replacement: the first of all when each adds a draw from Gumbel's distribution.
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < all.size(); ++i) {
    const double u = 1 - rng_.uniform();  // above 0
    order.emplace_back(-(all[i].log_probability - std::log(-std::log(u))), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Step> drawn;
  for (size_t i = 0; i < std::min(most(), order.size()); ++i) drawn.push_back(all[order[i].second]);
  return drawn;
}

void Search::finish(const Step& step, int64_t length) {
  const std::vector<int>& before = running_[step.beam].tokens;
  BeamText text;
  text.ids.assign(before.begin() + static_cast<ptrdiff_t>(prompt_), before.end());
  text.ids.push_back(step.token);
  text.score = scored(step.log_probability, length);
  text.candidates = running_[step.beam].shown;
  text.finish_reason = ends(step.token) ? FinishReason::stop : FinishReason::length;
  const auto place = std::find_if(finished_.begin(), finished_.end(),
                                  [&](const BeamText& other) { return other.score < text.score; });
  finished_.insert(place, std::move(text));
  if (finished_.size() > static_cast<size_t>(options_.beams)) finished_.pop_back();
}

// The chosen continuations become the running beams; none: they leave the cache. The first child of
// a beam takes over its cached sequence, the others get a copy that shares its pages.
void Search::go_on(const std::vector<Step>& steps) {
  std::vector<Beam> next;
  std::vector<bool> taken(running_.size());
  for (const Step& step : steps) {
    const Beam& from = running_[step.beam];
    Beam beam{taken[step.beam] ? cache_.fork(from.cached) : from.cached,
              from.tokens,
              step.log_probability,
              {},
              from.shown};
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
  const int64_t length = this->length();
  const bool last = length == most_new_;
  const auto beams = static_cast<size_t>(options_.beams);
  std::vector<Step> going;
  const std::vector<Step> steps = best_steps();
  ensure(!steps.empty(), "beam search: found no token that can come, wanted at least one");
  for (size_t rank = 0; rank < steps.size(); ++rank) {
    const bool ended = last || ends(steps[rank].token);
    if (!ended) going.push_back(steps[rank]);
    // Only the best `beams` may finish: the others are there to replace them.
    if (ended && rank < beams) finish(steps[rank], length);
  }
  keep_best(going, beams);
  go_on(going);
  if (!going.empty() && (options_.beams == 1 || may_improve(length))) return true;
  go_on({});
  return false;
}

}  // namespace

void check(const BeamOptions& o) {
  ensure<UsageError>(o.beams >= 1 && o.beams <= 1024, "beams: found ", o.beams,
                     ", wanted 1 to 1024");
  ensure<UsageError>(o.n_best >= 1 && o.n_best <= o.beams, "n-best: found ", o.n_best,
                     ", wanted 1 to the number of beams, ", o.beams);
  ensure<UsageError>(std::isfinite(o.length_penalty), "length penalty: found ", o.length_penalty,
                     ", wanted a finite number");
  check(o.sampling);
}

std::vector<std::vector<BeamText>> beam_search(const CausalModel& model,
                                               std::span<const BeamRequest> requests,
                                               const BeamOptions& options, KvCache* sources,
                                               const std::atomic<bool>* stop) {
  check(options);
  KvCache cache(model.cache);
  std::vector<Search> searches;
  std::vector<size_t> going;
  for (const BeamRequest& request : requests) {
    check_prompt(model, request.prompt);
    going.push_back(searches.size());
    searches.emplace_back(model, cache, request, options);
  }
  while (!going.empty()) {
    CachedStep step;
    std::vector<std::pair<size_t, size_t>> rows;  // whose beam each row is
    for (const size_t s : going) {
      searches[s].list(step);
      for (size_t b = 0; b < searches[s].rows(); ++b) rows.emplace_back(s, b);
    }
    const Tensor logits = last_logits(model, cache, step, sources, stop);
    const Tensor scores = softmax(logits);
    const auto width = static_cast<size_t>(model.vocab);
    const auto *const values = logits.data<float>(), *const shares = scores.data<float>();
    parallel_for(static_cast<int64_t>(rows.size()), 4, [&](int64_t begin, int64_t end) {
      for (auto r = static_cast<size_t>(begin); r < static_cast<size_t>(end); ++r)
        searches[rows[r].first].score(rows[r].second, {values + r * width, width},
                                      {shares + r * width, width});
    });
    std::erase_if(going, [&](size_t s) { return !searches[s].advance(); });
  }
  std::vector<std::vector<BeamText>> out;
  for (Search& search : searches) out.push_back(search.take());
  return out;
}

std::vector<BeamText> beam_search(const CausalModel& model, std::span<const int> prompt,
                                  const BeamOptions& options, const std::atomic<bool>* stop) {
  const BeamRequest one{.prompt = {prompt.begin(), prompt.end()}};
  return std::move(beam_search(model, {&one, 1}, options, nullptr, stop)[0]);
}

}  // namespace jogak
