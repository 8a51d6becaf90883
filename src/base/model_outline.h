// A model in outline: what its blocks are and how they are wired, without a single weight. Each
// family fills one; lessons, pictures and the page read it.
#pragma once

#include <cstdint>
#include <string>

namespace jogak {

struct ModelOutline {
  enum class Wiring : uint8_t { encoder_decoder, decoder, encoder };
  // Where norms stand. after: of what a sub-layer made, before it joins the stream; both: there and
  // before it; parallel: before attention and feed-forward side by side.
  enum class Block : uint8_t { post, pre, parallel, after, both };
  enum class Input : uint8_t { tokens, image, series };
  struct Stack {
    int64_t layers = 0, heads = 0, kv_heads = 0, inner = 0;
  };

  std::string name = {};  // "marian"
  Wiring wiring = Wiring::encoder_decoder;
  Block block = Block::post;
  Input input = Input::tokens;
  Stack encoder = {}, decoder = {};  // of an encoder-decoder both, otherwise one
  int64_t width = 0, head_width = 0, vocab = 0, context = 0;
  int64_t outputs = 0;  // of the last linear layer: words, labels, or values to come; 0: none
  bool gated = false;   // three matrices in the feed-forward
  bool final_norm = false;
  std::string positions = "sinusoidal";  // learned, rotary, alibi
  std::string norm = "LayerNorm", activation = "ReLU";

  const Stack& main() const { return wiring == Wiring::encoder ? encoder : decoder; }
};

}  // namespace jogak
