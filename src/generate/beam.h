// Beam search: the best texts rather than the best next token. Which texts come out, in which
// order and with which scores is as in transformers (num_beams, length_penalty, early_stopping).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "generate/batcher.h"

namespace jogak {

// When the search may end, once `beams` texts are finished.
enum class EarlyStopping : uint8_t {
  no,     // when the best running text, scored at its present length, is worse than all of them
  yes,    // at once
  never,  // when no running text could become better at any length
};

struct BeamOptions {
  int beams = 4;
  int n_best = 1;             // how many texts to return
  double length_penalty = 1;  // score = log probability / length ^ penalty
  EarlyStopping early_stopping = EarlyStopping::no;
  double repeat_penalty = 1;  // applied to log probabilities, as transformers does here
  int64_t max_new = 0;        // most new tokens; 0: until the context is full
  std::vector<int> eos_ids = {};
  std::vector<int> never = {};  // tokens that are never taken: padding
  int forced_end = -1;  // the only token that may come last when max_new is reached; -1: any
};

void check(const BeamOptions& options);  // UsageError: found, wanted

struct BeamText {
  std::vector<int> ids = {};  // the new tokens, the end token included
  double score = 0;
  FinishReason finish_reason = FinishReason::length;
};

struct BeamRequest {
  std::vector<int> prompt = {};
  int64_t max_new = 0;  // most new tokens; 0: as the options say
  int source = -1;      // of an encoder-decoder: the sequence in `sources` it is a translation of
};

// One search for each request, all of them in the same passes of the model; what one becomes does
// not depend on the others. Best first; fewer than n_best only when there are not as many texts
// of that length at all.
std::vector<std::vector<BeamText>> beam_search(const CausalModel& model,
                                               std::span<const BeamRequest> requests,
                                               const BeamOptions& options,
                                               KvCache* sources = nullptr,
                                               const std::atomic<bool>* stop = nullptr);

std::vector<BeamText> beam_search(const CausalModel& model, std::span<const int> prompt,
                                  const BeamOptions& options,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace jogak
