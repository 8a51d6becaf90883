// Beam search: the best texts rather than the best next token. Which texts come out, in which
// order and with which scores is as in transformers (num_beams, length_penalty, early_stopping).
// One beam takes, or draws, the next token as the batcher does.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "generate/generated.h"
#include "generate/options.h"
#include "nn/causal_model.h"

namespace jogak {

struct BeamText {
  std::vector<int> ids = {};  // the new tokens, the end token included
  double score = 0;
  FinishReason finish_reason = FinishReason::length;
  std::vector<std::vector<Candidate>> candidates = {};  // of each token, when asked for
  Tensor alignment = {};  // of a translation, when asked for: f32 [tokens, source tokens]
};

struct BeamRequest {
  std::vector<int> prompt = {};
  int64_t max_new = 0;  // most new tokens; 0: as the options say
  int source = -1;      // of an encoder-decoder: the sequence in `sources` it is a translation of
  std::vector<int> source_ids = {};  // what the encoder read there
  uint64_t stream = 0;               // of random numbers
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
