// Memory for time: a part of the forward pass that keeps its inputs alone, and is run once more
// when the walk back comes to it.
#pragma once

#include "autograd/autograd.h"

namespace jogak {

// One pass over the part. It is called now and, with `again`, once more by gradients(); both times
// it must compute the same. Every tensor with a history except leaves has to come as an input, and
// what else it refers to has to live until then.
using Recomputed = std::function<Tensor(std::span<const Tensor> inputs, bool again)>;

// part(inputs, false), of which the tape has one node. Gradients have the bits they would have
// without this: the second pass is recorded, and the walk goes on through it as if it had been
// recorded the first time.
Tensor recompute(const char* name, std::span<const Tensor> inputs, Recomputed part);

}  // namespace jogak
