// Many texts written at once. New sequences join between steps, finished ones leave; a step is
// one pass of the model over the prompts of the new and the last token of the others. What a
// sequence becomes depends on its own request alone, never on who else runs.
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

#include "generate/generated.h"
#include "generate/next_scores.h"
#include "generate/options.h"
#include "text/tokenizer.h"

namespace jogak {

struct GenerateRequest {
  std::vector<int> prompt = {};
  SamplingOptions sampling = {};
  uint64_t stream = 0;  // of random numbers: texts of one seed that are not to be the same
  ScoreRules rules = {};
  int64_t max_new = 0;                 // most new tokens; 0: until the context is full
  std::vector<int> eos_ids = {};       // tokens that end the text
  std::vector<std::string> stop = {};  // strings that end the text and are not part of it
  // Called with each new piece of text, whole characters only. All pieces together are the text.
  std::function<void(std::string_view)> on_text = {};
  size_t show = 0;  // how many of the candidates of each new token to keep in the result
};

struct BatchLimits {
  int sequences = 8;    // that run at once; the others wait their turn
  int64_t rows = 4096;  // tokens of a step, unless a single prompt is longer
};

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
  const KvCache& cache() const { return cache_; }

 private:
  struct Sequence;
  struct Said;

  Sequence& find(int64_t handle) const;
  void admit();
  void leave();

  const CausalModel& model_;
  const Tokenizer* tokenizer_;
  BatchLimits limits_;
  KvCache cache_;
  Scorer scorer_;
  bool stepping_ = false;  // tokens are being handed out: on_text may be running
  int64_t next_handle_ = 0;
  std::map<int64_t, std::unique_ptr<Sequence>> all_;
  std::deque<int64_t> waiting_;
  std::vector<int64_t> running_;  // in the order they came
};

// One text, start to end.
Generated generate(const CausalModel& model, const Tokenizer* tokenizer, GenerateRequest request,
                   const std::atomic<bool>* stop = nullptr);

}  // namespace jogak
