#include "generate/batcher.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "generate/batch_sequence.h"

namespace jogak {

const char* name_of(FinishReason reason) {
  static constexpr const char* kNames[] = {"running", "stop", "length", "cancelled"};
  return kNames[static_cast<size_t>(reason)];
}

Batcher::Batcher(const CausalModel& model, const Tokenizer* tokenizer, BatchLimits limits,
                 const std::atomic<bool>* stop)
    : model_(model),
      tokenizer_(tokenizer),
      limits_(limits),
      cache_(model.cache),
      kept_(cache_, limits.kept_pages),
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

// Of those that wait, the first of the client that has the fewest running.
int64_t Batcher::next_waiting() const {
  std::map<uint64_t, int> running;
  for (const int64_t handle : running_) ++running[find(handle).request.client];
  return *std::min_element(waiting_.begin(), waiting_.end(), [&](int64_t a, int64_t b) {
    return running[find(a).request.client] < running[find(b).request.client];
  });
}

void Batcher::admit() {
  while (!waiting_.empty() && running() < limits_.sequences) {
    const int64_t next = next_waiting();
    find(next).cached = cache_.add();
    running_.push_back(next);
    std::erase(waiting_, next);
  }
}

// What a sequence reads in a step.
struct Batcher::Part {
  Sequence* s;
  size_t count;
  bool ends() const { return s->seen + count == s->tokens.size(); }  // the next token is chosen
  int64_t wants() const { return s->wants(count); }
};

// Before a prompt is read: pages that hold its beginning are shared. False where another one is
// reading that beginning just now: it is worth the wait.
bool Batcher::share_pages(Sequence& s) {
  if (s.seen > 0 || s.request.prompt_chances) return true;  // those want every score
  const auto prompt = std::span<const int>(s.tokens).first(s.tokens.size() - 1);
  Prefixes::Found best = kept_.find(prompt);
  int64_t later = 0;
  for (const int64_t handle : running_) {
    const Sequence& other = find(handle);
    if (&other == &s) break;  // only those that came before it are sure to go on
    const auto tokens = std::span<const int>(other.tokens);
    const int64_t now = shared_tokens(tokens.first(other.seen), prompt);
    if (now > best.tokens) best = {other.cached, now};
    later = std::max(later, shared_tokens(tokens, prompt));
  }
  if (later > best.tokens) return false;
  if (best.tokens == 0) return true;
  cache_.remove(std::exchange(s.cached, -1));
  s.cached = cache_.fork(best.sequence, best.tokens);
  s.seen = static_cast<size_t>(best.tokens);
  return true;
}

// Texts that are being written go first, prompts share what is left of the rows.
std::vector<Batcher::Part> Batcher::parts() {
  std::vector<Part> out;
  for (const int64_t handle : running_)
    if (Sequence& s = find(handle); !s.reads()) out.push_back({&s, 1});
  int64_t room = std::max<int64_t>(1, limits_.rows - std::ssize(out));
  for (const int64_t handle : running_) {
    Sequence& s = find(handle);
    if (room == 0) break;
    if (!s.reads() || !share_pages(s)) continue;
    const auto count = std::min(room, std::ssize(s.tokens) - static_cast<int64_t>(s.seen));
    out.push_back({&s, static_cast<size_t>(count)});
    room -= count;
  }
  return out;
}

// What the model says of the next tokens, as far as the sequences ask for it: scores are many, and
// where they lie on a GPU, the best of them are found there.
struct Batcher::Said {
  std::vector<int64_t> best;  // of each wanted row; -1: look at its scores
  std::vector<float> scores;  // of all rows, or none
  size_t width;

  Said(const NextScores& next, const std::vector<Part>& parts)
      : width(static_cast<size_t>(next.logits.dim(-1))) {
    const auto plain = [](const Part& p) { return p.s->takes_the_best() && p.wants() == 1; };
    if (std::all_of(parts.begin(), parts.end(), plain)) best = to_host<int64_t>(next.best);
    if (best.empty() || *std::min_element(best.begin(), best.end()) < 0)
      scores = to_host<float>(next.logits);
  }
  std::span<const float> row(size_t i) const { return std::span(scores).subspan(i * width, width); }
  int choose(Sequence& s, size_t i) const {
    if (!best.empty() && best[i] >= 0) return static_cast<int>(best[i]);
    return s.choose(row(i));
  }
};

// One sequence that fails, in its scores or in on_text, leaves alone; the others go on.
void Batcher::hand_out(const Said& said, const std::vector<Part>& parts) {
  std::exception_ptr failure;
  stepping_ = true;
  size_t row = 0;
  for (const Part& part : parts) {
    Sequence& s = *part.s;
    const bool ends = part.ends();
    const size_t wants = static_cast<size_t>(part.wants()), first = s.seen + part.count - wants;
    s.seen += part.count;
    row += wants;
    if (!s.open()) continue;  // cancelled by another one's on_text
    try {
      for (size_t i = 0; i < wants && s.request.prompt_chances; ++i)
        s.hear_prompt(said.row(row - wants + i), first + i);
      if (ends) s.take(said.choose(s, row - 1));
    } catch (...) {
      s.result.finish_reason = FinishReason::cancelled;
      if (!failure) failure = std::current_exception();
    }
  }
  stepping_ = false;
  leave();
  if (failure) std::rethrow_exception(failure);
}

bool Batcher::step() {
  ensure(!stepping_, "generate: step() was called from on_text");
  leave();  // those cancelled since the last step
  admit();
  if (running_.empty()) return false;
  const std::vector<Part> all = parts();
  CachedStep step;
  for (const Part& part : all) {
    step.add(part.s->cached, std::span(part.s->tokens).subspan(part.s->seen, part.count));
    step.wants.push_back(part.wants());
  }
  std::optional<Said> said;
  const auto begin = std::chrono::steady_clock::now();
  try {
    said.emplace(scorer_(step), all);
  } catch (...) {
    for (const int64_t handle : running_)
      find(handle).result.finish_reason = FinishReason::cancelled;
    leave();
    kept_.clear();
    throw;
  }
  model_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  hand_out(*said, all);
  return true;
}

void Batcher::leave() {
  std::erase_if(running_, [&](int64_t handle) {
    Sequence& s = find(handle);
    if (s.open()) return false;
    if (limits_.kept_pages > 0) kept_.keep(s.cached, std::span(s.tokens).first(s.seen));
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
