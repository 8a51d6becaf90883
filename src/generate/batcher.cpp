#include "generate/batcher.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "generate/sampling.h"
#include "generate/score_rules.h"
#include "generate/text_stream.h"

namespace jogak {

const char* name_of(FinishReason reason) {
  static constexpr const char* kNames[] = {"running", "stop", "length", "cancelled"};
  return kNames[static_cast<size_t>(reason)];
}

struct Batcher::Sequence {
  GenerateRequest request;
  Rng rng;
  std::vector<int> tokens;  // prompt and new
  int64_t most_new;
  std::optional<TextStream> text;
  int cached = -1;  // its number in the cache
  Generated result;

  Sequence(GenerateRequest r, int64_t most)
      : request(std::move(r)),
        rng(request.sampling.seed, request.stream),
        tokens(request.prompt),
        most_new(most) {}

  bool open() const { return result.finish_reason == FinishReason::running; }

  std::span<const int> fresh() const {  // what the model has not seen yet
    const size_t count = result.ids.empty() ? tokens.size() : 1;
    return std::span(tokens).last(count);
  }

  TextSoFar so_far() const {
    const size_t prompt = request.prompt.size();
    return {.tokens = tokens,
            .prompt = prompt,
            .source = request.prompt,
            .most = static_cast<int64_t>(prompt) + most_new,
            .ends = request.eos_ids};
  }

  // Whether the highest score decides, and nothing else is looked at.
  bool takes_the_best() const {
    if (request.sampling.temperature > 0 || request.show > 0) return false;
    const auto forbidden = only_forbidden(request.rules, so_far());
    return forbidden && forbidden->empty();
  }

  // The next token of these scores.
  int choose(std::span<const float> logits) {
    std::vector<float> scores(logits.begin(), logits.end());
    apply(request.rules, so_far(), scores);
    if (request.show > 0)
      result.candidates.push_back(shown(scores, request.sampling, request.show));
    return pick(scores, request.sampling, rng);
  }

  void show(const std::string& piece) {
    if (piece.empty()) return;
    result.text += piece;
    if (request.on_text) request.on_text(piece);
  }

  void finish(FinishReason reason) {
    const std::string rest = text ? text->finish() : std::string();
    result.finish_reason = text && text->stopped() ? FinishReason::stop : reason;
    show(rest);
  }

  void take(int id) {
    tokens.push_back(id);
    result.ids.push_back(id);
    const auto& ends = request.eos_ids;
    if (std::find(ends.begin(), ends.end(), id) != ends.end()) return finish(FinishReason::stop);
    if (text) {
      const std::string piece = text->push(id);
      if (text->stopped()) result.finish_reason = FinishReason::stop;
      show(piece);
    }
    if (open() && static_cast<int64_t>(result.ids.size()) == most_new) finish(FinishReason::length);
  }
};

Batcher::Batcher(const CausalModel& model, const Tokenizer* tokenizer, BatchLimits limits,
                 const std::atomic<bool>* stop)
    : model_(model),
      tokenizer_(tokenizer),
      limits_(limits),
      cache_(model.cache),
      scorer_(model, cache_, stop) {
  ensure<UsageError>(limits.sequences > 0 && limits.rows > 0, "batch: found ", limits.sequences,
                     " sequences and ", limits.rows, " rows, wanted at least 1 of each");
}

Batcher::~Batcher() = default;

int64_t Batcher::add(GenerateRequest request) {
  check(request.sampling);
  check_prompt(model_, request.prompt);
  const int64_t room = room_for(model_, request.prompt.size(), request.max_new);
  ensure<UsageError>(tokenizer_ || (request.stop.empty() && !request.on_text),
                     "generate: stop strings and text need a tokenizer, there is none");
  auto fresh = std::make_unique<Sequence>(std::move(request), room);
  const GenerateRequest& r = fresh->request;
  if (tokenizer_) fresh->text.emplace(*tokenizer_, r.prompt, r.stop);
  const int64_t handle = next_handle_++;
  all_[handle] = std::move(fresh);
  waiting_.push_back(handle);
  return handle;
}

Batcher::Sequence& Batcher::find(int64_t handle) const {
  const auto found = all_.find(handle);
  ensure(found != all_.end(), "generate: no sequence has the handle ", handle);
  return *found->second;
}

void Batcher::admit() {
  int64_t rows = 0;
  while (!waiting_.empty() && running() < limits_.sequences) {
    Sequence& s = find(waiting_.front());
    const auto more = static_cast<int64_t>(s.tokens.size());
    if (rows > 0 && rows + more > limits_.rows) break;
    rows += more;
    s.cached = cache_.add();
    running_.push_back(waiting_.front());
    waiting_.pop_front();
  }
}

// What the model says of the next tokens, as far as the sequences ask for it: scores are many, and
// where they lie on a GPU, the best of them are found there.
struct Batcher::Said {
  std::vector<int64_t> best;  // of each sequence; -1: look at its scores
  std::vector<float> scores;  // of all sequences, or none
  size_t width;

  Said(const NextScores& next, const std::vector<Sequence*>& rows)
      : width(static_cast<size_t>(next.logits.dim(-1))) {
    if (std::all_of(rows.begin(), rows.end(), [](auto* s) { return s->takes_the_best(); }))
      best = to_host<int64_t>(next.best);
    if (best.empty() || *std::min_element(best.begin(), best.end()) < 0)
      scores = to_host<float>(next.logits);
  }
  int choose(Sequence& s, size_t row) const {
    if (!best.empty() && best[row] >= 0) return static_cast<int>(best[row]);
    return s.choose(std::span(scores).subspan(row * width, width));
  }
};

bool Batcher::step() {
  ensure(!stepping_, "generate: step() was called from on_text");
  leave();  // those cancelled since the last step
  admit();
  if (running_.empty()) return false;
  std::vector<Sequence*> rows;
  CachedStep step;
  for (const int64_t handle : running_) {
    rows.push_back(&find(handle));
    step.add(rows.back()->cached, rows.back()->fresh());
  }
  std::optional<Said> said;
  try {
    said.emplace(scorer_(step), rows);
  } catch (...) {
    for (Sequence* s : rows) s->result.finish_reason = FinishReason::cancelled;
    leave();
    throw;
  }
  // One sequence that fails, in its scores or in on_text, leaves alone; the others go on.
  std::exception_ptr failure;
  stepping_ = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]->open()) continue;  // cancelled by another one's on_text
    try {
      rows[i]->take(said->choose(*rows[i], i));
    } catch (...) {
      rows[i]->result.finish_reason = FinishReason::cancelled;
      if (!failure) failure = std::current_exception();
    }
  }
  stepping_ = false;
  leave();
  if (failure) std::rethrow_exception(failure);
  return true;
}

void Batcher::leave() {
  std::erase_if(running_, [&](int64_t handle) {
    Sequence& s = find(handle);
    if (s.open()) return false;
    cache_.remove(std::exchange(s.cached, -1));
    s.text.reset();
    return true;
  });
}

void Batcher::finish_all() {
  while (step()) continue;
}

void Batcher::cancel(int64_t handle) {
  Sequence& s = find(handle);
  if (!s.open()) return;
  s.result.finish_reason = FinishReason::cancelled;
  std::erase(waiting_, handle);  // one that runs leaves with the next step
}

bool Batcher::done(int64_t handle) const { return !find(handle).open(); }

const Generated& Batcher::result(int64_t handle) const { return find(handle).result; }

Generated Batcher::take(int64_t handle) {
  ensure(done(handle) && !stepping_, "generate: sequence ", handle, " is still running");
  Generated out = std::move(find(handle).result);
  if (std::erase(running_, handle) > 0) cache_.remove(find(handle).cached);
  all_.erase(handle);
  return out;
}

Generated generate(const CausalModel& model, const Tokenizer* tokenizer, GenerateRequest request,
                   const std::atomic<bool>* stop) {
  Batcher batcher(model, tokenizer, {.sequences = 1}, stop);
  const int64_t handle = batcher.add(std::move(request));
  batcher.finish_all();
  return batcher.take(handle);
}

}  // namespace jogak
