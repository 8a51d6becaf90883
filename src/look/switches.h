// Parts of a model that a user names, to switch them off or to carry them from run to run:
// "head:3.2,residual:4,norm:1,ffn:2,layer:5,cross,mask,scale,positions".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/probe.h"

namespace jogak {

struct Switch {
  enum class What : uint8_t {
    head,       // one head's result is zero, before heads are mixed
    residual,   // a layer's skips carry nothing
    norm,       // a layer's norms are the identity
    ffn,        // the feed-forward adds nothing
    attention,  // self-attention adds nothing
    layer,      // the layer is the identity
    cross,      // attention to the source adds nothing; with a head, that head of it is zero
    mask,       // every token sees every token
    scale,      // scores are not divided by the root of the head width
    positions,  // tokens do not know where they stand
  };
  enum class Side : uint8_t { any, target, source };

  What what = What::layer;
  int64_t layer = -1;  // -1: all of them
  int64_t head = -1;
  Side side = Side::any;
  std::string text = {};  // as the user wrote it

  bool holds(const ProbeStep& step) const;  // whether this step is meant
};

// Layers and heads count from 0. Of an encoder-decoder a plain number is a layer of the decoder;
// "layer:encoder.1" is one of the encoder. A part without a number means it in every layer.
// UsageError for anything else, naming the nearest known part.
std::vector<Switch> parse_switches(std::string_view list);

// Switches parts off in every pass that carries it.
class Ablation : public Probe {
 public:
  explicit Ablation(std::vector<Switch> off) : off_(std::move(off)), used_(off_.size()) {}
  bool repeatable() const override { return true; }
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;
  void attend(const ProbeStep& step, AttentionOptions& options) override;
  // UsageError when a part was never met: the model has no such layer or head.
  void check_used() const;

 private:
  std::vector<Switch> off_;
  std::vector<bool> used_;
};

// Carries parts of one run into another: the first pass that carries it fills it, and after
// give() every pass has these values in place of its own.
class Patch : public Probe {
 public:
  // `token` -1: all tokens; otherwise only that one's values.
  explicit Patch(std::vector<Switch> parts, int64_t token = -1);
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;
  void give();  // from now on: UsageError when nothing was kept

 private:
  std::vector<Switch> parts_;
  int64_t token_;
  bool giving_ = false;
  size_t next_ = 0;
  std::vector<Tensor> kept_;
};

// Two probes on one pass: what the first made of a value is what the second sees.
class ProbeChain : public Probe {
 public:
  ProbeChain(Probe& first, Probe& second) : first_(first), second_(second) {}
  bool wants_attention() const override {
    return first_.wants_attention() || second_.wants_attention();
  }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    first_.see(name, layer, value);
    second_.see(name, layer, value);
  }
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override {
    return second_.pass(step, in, first_.pass(step, in, out));
  }
  void attend(const ProbeStep& step, AttentionOptions& options) override {
    first_.attend(step, options);
    second_.attend(step, options);
  }

 private:
  Probe &first_, &second_;
};

}  // namespace jogak
