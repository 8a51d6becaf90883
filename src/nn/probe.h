// A probe stands at named places of a forward pass: it sees what each step made, and may put
// something else in its place. That one seam shows a model's inside, switches parts of it off and
// carries values from one run into another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace jogak {

struct AttentionOptions;

// What a step is for, whatever its family calls it.
enum class Part : uint8_t {
  other,        // seen and named
  positions,    // positions: added to the embeddings, rotated by, or added to scores
  norm,         // out = norm(in)
  skip,         // what a residual connection carries past a sub-layer
  attention,    // what the sub-layer adds to the stream
  cross,        // the same of attention to the source
  ffn,          // the same of the feed-forward
  heads,        // what each head read, [B, T, heads, head_width], before they are mixed
  cross_heads,  // the same of attention to the source
  layer,        // a whole layer: in, and out
};

struct ProbeStep {
  Part part = Part::other;
  int64_t layer = -1;            // of its stack, from 0; -1: outside the layers
  bool source = false;           // in the encoder of an encoder-decoder
  std::string_view path = {};    // "h.0"
  std::string_view place = {};   // "attn"
  std::string_view detail = {};  // "heads"

  std::string name() const;  // "h.0.attn.heads": modules are called as the code calls them
};

class Probe {
 public:
  virtual ~Probe() = default;
  // Attention holds no weights unless somebody wants to see them.
  virtual bool wants_attention() const { return false; }
  // A probe that keeps nothing and changes values the same way each time says so: then a block it
  // stands in may run twice (Run::recompute).
  virtual bool repeatable() const { return false; }
  // Values as transformers names them: hidden_states, attentions, cross_attentions.
  virtual void see(std::string_view name, int64_t layer, const Tensor& value);
  // A step made `out` of `in`; what comes back goes on in place of `out`.
  virtual Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out);
  // How attention is about to look: its mask and its scale may be changed.
  virtual void attend(const ProbeStep& step, AttentionOptions& options);
};

}  // namespace jogak
