// Activation recomputation: how a model calls its blocks.
#pragma once

#include <functional>
#include <span>

#include "nn/run.h"

namespace jogak {

// A block on its inputs. Tensors that gradients flow through are inputs; the block itself is
// captured by reference and lives as long as the model, everything else is captured by value.
using BlockCall = std::function<Tensor(std::span<const Tensor> inputs, LayerRun run)>;

// block(inputs, here). With run.recompute the tape keeps only the inputs, and the walk back runs
// the block once more with the same dropout. A probe sees each step once: where one stands that is
// not repeatable, everything is kept.
Tensor recomputed(LayerRun here, std::span<const Tensor> inputs, BlockCall block);

}  // namespace jogak
