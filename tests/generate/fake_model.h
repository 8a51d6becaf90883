// A model without weights. The scores after a token are a function of the whole text so far, and
// that text is read back from the cache's pages: wrong rows, positions, pages or copies show.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "nn/causal_model.h"

namespace jogak {

class FakeModel {
 public:
  using Scores = std::function<std::vector<float>(const std::vector<int>& text)>;

  FakeModel(int64_t vocab, int64_t context, Scores scores)
      : vocab_(vocab), context_(context), scores_(std::move(scores)) {}

  // Random scores, the same for the same text.
  FakeModel(int64_t vocab, int64_t context)
      : FakeModel(vocab, context, [vocab](const std::vector<int>& text) {
          uint64_t hash = text.size();
          for (const int id : text) hash = (hash ^ static_cast<uint64_t>(id)) * 0x100000001B3u;
          Rng rng(hash);
          std::vector<float> out;
          for (int64_t i = 0; i < vocab; ++i) out.push_back(static_cast<float>(3 * rng.normal()));
          return out;
        }) {}

  CausalModel model() {
    return {.forward = [this](const Tensor& ids, Run& run) { return forward(ids, run); },
            .cache =
                {.layers = 1, .kv_heads = 1, .key_width = 1, .value_width = 1, .context = context_},
            .vocab = vocab_};
  }

  std::vector<int64_t> steps;  // rows of each step
  std::function<void()> before_step;

 private:
  Tensor forward(const Tensor& ids, Run& run) {
    if (before_step) before_step();
    const CacheStep& step = *run.cache_step;
    const std::vector<int64_t> tokens = to_host<int64_t>(ids);
    steps.push_back(step.rows());
    for (size_t row = 0; row < tokens.size(); ++row)
      place(run, row) = static_cast<float>(tokens[row]);
    std::vector<float> out;
    for (const int64_t row : step.wanted) {
      const std::vector<float> scores = scores_(text_until(run, static_cast<size_t>(row)));
      out.insert(out.end(), scores.begin(), scores.end());
    }
    return from_values(out, {1, static_cast<int64_t>(step.wanted.size()), vocab_});
  }

  static float& place(Run& run, size_t row) {
    const int64_t position = run.cache_step->positions[row];
    const Tensor& page = run.cache->page(run.cache_step->sequences[row], position / kPageTokens);
    return page.data<float>()[position % kPageTokens];
  }

  static std::vector<int> text_until(Run& run, size_t row) {
    std::vector<int> out;
    for (int64_t at = 0; at <= run.cache_step->positions[row]; ++at) {
      const Tensor& page = run.cache->page(run.cache_step->sequences[row], at / kPageTokens);
      out.push_back(static_cast<int>(std::lround(page.data<float>()[at % kPageTokens])));
    }
    return out;
  }

  int64_t vocab_, context_;
  Scores scores_;
};

// Continues every text with the tokens of `script`, whatever the prompt of `prompt` tokens was.
inline FakeModel scripted(int64_t vocab, int64_t context, size_t prompt, std::vector<int> script) {
  return FakeModel(vocab, context, [=](const std::vector<int>& text) {
    std::vector<float> out(static_cast<size_t>(vocab), 0.f);
    const size_t at = text.size() - prompt;
    if (at < script.size()) out[static_cast<size_t>(script[at])] = 5;
    return out;
  });
}

}  // namespace jogak
