// Translating: sentences are read by the encoder together, and written by beam search together.
#pragma once

#include "generate/beam.h"
#include "nn/seq2seq_model.h"

namespace jogak {

// The n best translations of each source (token ids, the end token included), best first. What a
// sentence becomes does not depend on the others.
std::vector<std::vector<BeamText>> translate(const Seq2SeqModel& model,
                                             std::span<const std::vector<int>> sources,
                                             const TranslateOptions& options);

// UsageError unless the source has tokens, all of them the model's, and no more than it reads.
void check_source(const Seq2SeqModel& model, std::span<const int> source);

// How much each target token looked at each source token, f32 [target, source]: cross-attention,
// the mean over the heads of decoder layer `layer` (-1: over all layers).
Tensor alignment(const Seq2SeqModel& model, std::span<const int> source,
                 std::span<const int> target, int64_t layer = -1);

}  // namespace jogak
