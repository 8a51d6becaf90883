// Where in a text something begins and ends: what a model that answers questions says.
#pragma once

#include <utility>

#include "ops/cross_entropy.h"

namespace jogak {

// Logits [B, T, 2] of the first and the last token against their places, i64 [B, 2], -100: does not
// count. Half of the loss is of the first, half of the last, each over the texts that count:
// transformers' loss.
Tensor span_loss(const Tensor& logits, const Tensor& places,
                 const CrossEntropyOptions& options = {});

// The same apart, as transformers names them: {start_logits, end_logits}, [B, T] each.
std::pair<Tensor, Tensor> span_ends(const Tensor& logits);

}  // namespace jogak
