// Translating: sentences are read by the encoder together, and written by beam search together.
#pragma once

#include "generate/beam.h"
#include "nn/seq2seq_model.h"

namespace jogak {

// The n best translations of each source (token ids, the end token included), best first. What a
// sentence becomes does not depend on the others. Their alignment, when asked for, is how much each
// target token looked at each source token: cross-attention, the mean over the heads of one layer
// or of all. The sources are not read again for it, and the texts once, all together.
std::vector<std::vector<BeamText>> translate(const Seq2SeqModel& model,
                                             std::span<const std::vector<int>> sources,
                                             const TranslateOptions& options);

// UsageError unless the source has tokens, all of them the model's, and no more than it reads.
void check_source(const Seq2SeqModel& model, std::span<const int> source);

}  // namespace jogak
