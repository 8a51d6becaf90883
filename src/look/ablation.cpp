#include <cmath>

#include "autograd/autograd.h"
#include "base/terminal.h"
#include "look/switches.h"
#include "ops/attention.h"
#include "ops/mul.h"

namespace jogak {
namespace {

using What = Switch::What;

// `from` where the token (and the head) is meant, `to` elsewhere; -1 means all of them.
// Tokens are the last axis but one, or of heads [B, T, heads, head_width] the last but two.
Tensor mixed(const Tensor& to, const Tensor& from, int64_t token, int64_t head, bool heads_apart) {
  const int64_t D = to.dim(-1), H = heads_apart ? to.dim(-2) : 1;
  const int64_t T = to.dim(heads_apart ? -3 : -2);
  std::vector<float> out = to_host<float>(to);
  const std::vector<float> other = to_host<float>(from);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / D;
    if ((head < 0 || row % H == head) && (token < 0 || row / H % T == token)) out[i] = other[i];
  }
  return cast(from_values(out, to.shape(), to.device()), to.dtype());
}

bool heads_apart(const ProbeStep& step) {
  return step.part == Part::heads || step.part == Part::cross_heads;
}

// Nobody knows a place: nothing is added, or everything turns as the first token does.
Tensor without_places(const ProbeStep& step, const Tensor& out) {
  if (step.path != "rotary") return zeros(out.shape(), out.dtype(), out.device());
  std::vector<float> turns = to_host<float>(out);  // [1, T, D]
  const auto width = static_cast<size_t>(out.dim(-1));
  for (size_t i = width; i < turns.size(); ++i) turns[i] = turns[i % width];
  return from_values(turns, out.shape(), out.device());
}

Tensor switched_off(const Switch& s, const ProbeStep& step, const Tensor& in, const Tensor& out) {
  switch (s.what) {
    case What::norm:
    case What::layer: return in;
    case What::positions: return without_places(step, out);
    case What::mask:
    case What::scale: return out;
    case What::head:
    case What::cross:
    case What::residual:
    case What::ffn:
    case What::attention: break;
  }
  if (s.head < 0) return zeros(out.shape(), out.dtype(), out.device());
  std::vector<float> kept(static_cast<size_t>(out.dim(-2)), 1);  // the other heads keep gradients
  kept[static_cast<size_t>(s.head)] = 0;
  return out * cast(from_values(kept, {out.dim(-2), 1}, out.device()), out.dtype());
}

}  // namespace

Tensor Ablation::pass(const ProbeStep& step, const Tensor& in, const Tensor& out) {
  Tensor result = out;
  for (size_t i = 0; i < off_.size(); ++i) {
    if (!off_[i].holds(step)) continue;
    if (off_[i].head >= 0 && off_[i].head >= out.dim(-2)) continue;  // no such head
    used_[i] = true;
    result = switched_off(off_[i], step, in, result);
  }
  return result;
}

void Ablation::attend(const ProbeStep& step, AttentionOptions& options) {
  for (size_t i = 0; i < off_.size(); ++i) {
    if (!off_[i].holds(step)) continue;
    if (off_[i].what == What::mask) {
      options.causal = false;
      options.key_mask = {};
    } else if (off_[i].what == What::scale) {
      // Falcon's lines were scaled with the scores they are added to.
      if (options.key_bias.defined()) {
        options.key_bias = clone(options.key_bias);
        scale_in_place(options.key_bias, 1 / options.scale);
      }
      options.scale = 1;
    }
  }
}

void Ablation::check_used() const {
  for (size_t i = 0; i < off_.size(); ++i)
    ensure<UsageError>(used_[i], "found ", quoted(off_[i].text),
                       ", but the model has no such part; layers and heads count from 0");
}

Patch::Patch(std::vector<Switch> parts, int64_t token) : parts_(std::move(parts)), token_(token) {
  for (const Switch& part : parts_)
    ensure<UsageError>(part.what != What::mask && part.what != What::scale, "found ",
                       quoted(part.text), ", wanted a part with values, such as layer:3");
}

Tensor Patch::pass(const ProbeStep& step, const Tensor&, const Tensor& out) {
  Tensor result = out;
  for (const Switch& part : parts_) {
    if (!part.holds(step)) continue;
    ensure<UsageError>(!heads_apart(step) || part.head < out.dim(-2), "found ", quoted(part.text),
                       ", but the layer has ", out.dim(-2), " heads, counted from 0");
    if (!giving_) {
      kept_.push_back(clone(result.detach()));
      continue;
    }
    const Tensor& from = kept_[next_++ % kept_.size()];
    ensure<UsageError>(from.shape() == result.shape(), part.text, ": the other run has ",
                       from.shape(), ", this one ", result.shape(),
                       ": both inputs must have as many tokens");
    ensure<UsageError>(token_ < result.dim(heads_apart(step) ? -3 : -2), "--at ", token_,
                       ": the input has ", result.dim(heads_apart(step) ? -3 : -2),
                       " tokens, counted from 0");
    result = mixed(result, from, token_, heads_apart(step) ? part.head : -1, heads_apart(step));
  }
  return result;
}

void Patch::give() {
  ensure<UsageError>(!kept_.empty(), "the model has no such part to patch; layers count from 0");
  giving_ = true;
}

}  // namespace jogak
