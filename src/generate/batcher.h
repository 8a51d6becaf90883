// Many texts written at once. New sequences join between steps, finished ones leave; a step is
// one pass of the model over the last token of the running and pieces of the prompts of the new.
// Prompts that begin alike are read once. What a sequence becomes depends on its own request alone,
// never on who else runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generate/next_scores.h"
#include "generate/prefixes.h"
#include "generate/request.h"
#include "text/tokenizer.h"

namespace jogak {

struct BatchLimits {
  int sequences = 8;       // that run at once; the others wait their turn
  int64_t rows = 4096;     // tokens of a step; longer prompts are read in pieces
  int64_t kept_pages = 0;  // of finished texts, for others that begin alike
};

struct BatchSequence;

class Batcher {
 public:
  // Without a tokenizer there is no text: stop strings and on_text are refused. Model, tokenizer
  // and stop flag stay where they are for as long as the batcher lives.
  Batcher(const CausalModel& model, const Tokenizer* tokenizer, BatchLimits limits = {},
          const std::atomic<bool>* stop = nullptr);
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Checks the request (UsageError) and returns its handle. It starts with one of the next steps.
  int64_t add(GenerateRequest request);

  // One pass of the model; false when nothing was left to do. When the pass throws (Stopped, out
  // of memory), every running sequence is cancelled and the batcher can be used further.
  bool step();
  void finish_all();  // steps until nothing is left

  void cancel(int64_t handle);  // from on_text too; a finished one stays as it is
  bool done(int64_t handle) const;
  const Generated& result(int64_t handle) const;  // so far
  Generated take(int64_t handle);                 // hands it over and forgets the handle

  int running() const { return static_cast<int>(running_.size()); }
  int waiting() const { return static_cast<int>(waiting_.size()); }
  double model_seconds() const { return model_seconds_; }  // of all passes so far
  const KvCache& cache() const { return cache_; }
  // Takes memory for keys and values before anybody waits for it.
  void make_pages(int64_t count) { cache_.make_pages(count); }

 private:
  using Sequence = BatchSequence;
  struct Part;
  struct Said;

  Sequence& find(int64_t handle) const;
  void admit();
  int64_t next_waiting() const;
  std::vector<Part> parts();
  bool share_pages(Sequence& s);
  void hand_out(const Said& said, const std::vector<Part>& parts);
  void leave();

  const CausalModel& model_;
  const Tokenizer* tokenizer_;
  BatchLimits limits_;
  KvCache cache_;
  Prefixes kept_;
  Scorer scorer_;
  bool stepping_ = false;  // tokens are being handed out: on_text may be running
  int64_t next_handle_ = 0;
  double model_seconds_ = 0;
  std::map<int64_t, std::unique_ptr<Sequence>> all_;
  std::deque<int64_t> waiting_;
  std::vector<int64_t> running_;  // in the order they came
};

// One text, start to end.
Generated generate(const CausalModel& model, const Tokenizer* tokenizer, GenerateRequest request,
                   const std::atomic<bool>* stop = nullptr);

}  // namespace jogak
