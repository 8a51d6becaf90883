// What a trainer is given: examples by number, and the loss over some of them. A model is never
// named here; it sits inside the functions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/batch.h"
#include "nn/run.h"

namespace jogak {

// What a run learns from, by name: contents as kContents and a hash, settings as they are written.
using RunInputs = std::vector<std::pair<std::string, std::string>>;
inline constexpr char kContents[] = "sha256:";

struct LossSum {       // of one batch, still on the device
  Tensor sum;          // []: the losses of all tokens, added
  int64_t tokens = 0;  // how many they are
};

// The loss of one batch. `inputs` are the tensors it reads of the batch, wherever they lie; with
// `steady`, batches whose inputs have the same shapes are the same work on other numbers, which a
// device may record once and start again.
struct BatchLoss {
  std::function<LossSum(std::span<const Tensor> inputs, Run&)> of;
  std::vector<Tensor> inputs = {};
  int64_t tokens = 0;
  bool steady = false;

  BatchLoss() = default;
  template <class F>
  requires std::is_invocable_r_v<LossSum, const F&, Run&> BatchLoss(F loss)  // of one batch alone
      : of([loss = std::move(loss)](std::span<const Tensor>, Run& run) { return loss(run); }) {}

  LossSum operator()(Run& run) const { return of(inputs, run); }
};

struct TrainTask {
  int64_t examples = 0;  // of one epoch
  // Losses are of tokens: speed counts them, and a perplexity means something. Else of examples.
  bool of_tokens = true;
  // Makes a batch of the picked examples; what it returns runs the model over that batch.
  std::function<BatchLoss(std::span<const Pick>)> prepare;
  // Mean loss over the whole validation set (see mean_loss); empty: there is none.
  std::function<double(Run&)> validate;
  // A score of the validation set that decides which weights are best, higher being better; empty:
  // the lowest loss decides. `score_name` is what metrics call it: "bleu".
  std::function<double(Run&)> score;
  std::string score_name;
  // Writes the model as it is now into the run directory; empty: no model is written.
  std::function<void(const std::string& directory)> save_model;
  // A run is resumed only with the same: the text of the model's config.json, and what it learns
  // from (empty: not checked).
  std::string config;
  RunInputs inputs;
  std::string data;  // the same for a person, in one line
};

// prepare for a function that makes batches of any kind and one that computes their loss. A kind of
// batch has `each_input(batch, f)`, which calls f(tensor) for what the loss reads, and
// `counted(batch)`, its LossSum's tokens.
template <class MakeBatch, class Loss>
std::function<BatchLoss(std::span<const Pick>)> prepare_with(MakeBatch make, Loss loss) {
  return [make = std::move(make), loss = std::move(loss)](std::span<const Pick> picks) {
    auto batch = make(picks);
    BatchLoss out;
    each_input(batch, [&](Tensor& x) { out.inputs.push_back(x); });
    out.tokens = counted(batch);
    out.steady = true;
    out.of = [batch = std::move(batch), loss](std::span<const Tensor> inputs, Run& run) {
      auto given = batch;
      size_t next = 0;
      each_input(given, [&](Tensor& x) { x = inputs[next++]; });
      return loss(given, run);
    };
    return out;
  };
}

// Total of the losses over the total of the tokens for items 0 .. count-1, `batch` at a time. The
// host waits for the device once, at the end.
using RangeLoss = std::function<LossSum(int64_t first, int64_t count, Run& run)>;
double mean_loss(int64_t count, int64_t batch, const RangeLoss& loss, Run& run);

}  // namespace jogak
