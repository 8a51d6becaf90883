// The way through a stack of blocks: the same in every family.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "nn/recompute.h"

namespace jogak {

// Where a stack is not the only one, or not the usual one.
struct LayerOptions {
  const char* seen = "hidden_states";      // what goes into each layer, as a probe sees it
  bool source = false;                     // the encoder of an encoder-decoder, CLIP's text
  double left_out = 0;                     // how often a whole layer is left out in training
  std::vector<Tensor> beside = {};         // what every block reads, and gradients flow through
  std::vector<Tensor>* results = nullptr;  // what each block made goes here, too
};

inline bool left_out(double rate, Run& run) {
  if (!run.training || rate == 0) return false;
  decided_by_host();
  return Rng(run.seed, run.next_stream()).uniform() < rate;
}

// x through every block. call(block, in, at) is a block on in[0], the stream, and what stands
// beside it; what else it needs it holds by value. A block has its path, which names the layer.
template <class Block, class Call>
Tensor run_layers(const std::vector<Block>& blocks, Tensor x, Run& run, Call call,
                  const LayerOptions& options = {}) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    run.see(options.seen, index, x);
    if (left_out(options.left_out, run)) continue;
    const Block& block = blocks[i];
    const LayerRun here = run.layer(index, block.path, options.source);
    std::vector<Tensor> in = {x};
    in.insert(in.end(), options.beside.begin(), options.beside.end());
    const Tensor y =
        recomputed(here, in, [&block, call](std::span<const Tensor> inputs, LayerRun at) {
          return call(block, inputs, at);
        });
    x = here.pass(Part::layer, {}, x, y);
    if (options.results) options.results->push_back(x);
  }
  return x;
}

}  // namespace jogak
