// The tape: ops record how to go back; gradients() walks back. Knows no op by name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "tensor/tensor.h"

namespace jogak {

using Grads = std::vector<Tensor>;  // one per input; undefined where there is nothing to say

struct GradNode {
  using Backward = std::function<Grads(std::span<const Tensor> output_grads)>;
  struct Edge {
    std::shared_ptr<GradNode> node;  // null: this input needs no gradient
    int slot = 0;
  };

  const char* op = "";
  uint64_t order = 0;  // creation order: the walk back takes the latest first
  int outputs = 1;
  bool constant = false;  // made by record_constant: going through it is an error
  bool used = false;      // backward has run and what it had saved is gone
  std::vector<Edge> inputs;
  Backward backward;  // empty for a leaf
  // In place of backward: makes the output once more, and the walk goes on through what was
  // recorded on the way (autograd/recompute.h).
  std::function<Tensor(std::span<const Edge> inputs)> again;
  // In place of backward, where the first input has a gradient already and no other needs one: adds
  // to it. For an input far larger than what its gradient comes from.
  std::function<void(std::span<const Tensor> output_grads, const Tensor& sum)> add;

  ~GradNode();  // releases long chains without recursion
};

namespace detail {
bool any_needs_grad(std::span<const Tensor> inputs);
void attach(const char* op, std::span<Tensor> outputs, std::span<const Tensor> inputs,
            GradNode::Backward backward, bool constant);
}  // namespace detail

// While one of these lives, this thread records nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
  // Whether an op has run that would have been recorded.
  bool missed() const { return missed_; }

 private:
  friend bool detail::any_needs_grad(std::span<const Tensor> inputs);
  bool before_, missed_ = false;
  NoGrad* outer_;
};

// Records again, within a NoGrad.
class WithGrad {
 public:
  WithGrad();
  ~WithGrad();
  WithGrad(const WithGrad&) = delete;
  WithGrad& operator=(const WithGrad&) = delete;

 private:
  bool before_;
};

bool grad_enabled();
bool needs_grad(const Tensor& x);  // recording, and x leads back to a leaf

Tensor leaf(const Tensor& values);  // a tensor that gradients are asked for

// A tensor kept for backward. get() throws when the values were overwritten in between.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& x)
      : tensor_(x.defined() ? x.detach() : x), version_(x.defined() ? x.storage()->version() : 0) {}
  const Tensor& get() const;

 private:
  Tensor tensor_;
  uint64_t version_ = 0;
};

// y = op(inputs), and backward(dy) gives one gradient per input.
template <class Backward>
Tensor record(const char* op, Tensor y, std::initializer_list<Tensor> inputs, Backward&& backward) {
  const std::span<const Tensor> in(inputs.begin(), inputs.size());
  if (detail::any_needs_grad(in))
    detail::attach(
        op, std::span(&y, 1), in,
        [f = std::forward<Backward>(backward)](std::span<const Tensor> dy) mutable {
          return f(dy[0]);
        },
        false);
  return y;
}

// The same for several inputs known only at run time, or several outputs: backward gets one
// gradient per output, undefined where an output was not used.
template <class Backward>
void record_many(const char* op, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                 Backward&& backward) {
  if (detail::any_needs_grad(inputs))
    detail::attach(op, outputs, inputs, std::forward<Backward>(backward), false);
}

// For y just recorded: how to add the first input's gradient to one that is there (GradNode::add).
void set_adding(const Tensor& y, std::function<void(const Tensor& dy, const Tensor& sum)> add);

// A result without a derivative: asking for a gradient through it throws, naming the op.
Tensor record_constant(const char* op, Tensor y, std::initializer_list<Tensor> inputs);

// d loss / d leaf for each leaf, in their order; zeros for a leaf the loss does not depend on.
// The loss must have one element. What the tape had saved is released on the way. Each gradient is
// dense and the only owner of its memory: it may be changed in place.
std::vector<Tensor> gradients(const Tensor& loss, std::span<const Tensor> leaves);

// The same, given away one by one while the walk goes on: done(i, gradient of leaves[i]), as soon
// as nothing that is still to come adds to it, and each once. What runs again on the way back
// (autograd/recompute.h) does not say beforehand which leaves it reads: behind it all come at the
// end. The leaves are different ones.
using GradientDone = FunctionRef<void(size_t leaf, Tensor gradient)>;
void gradients(const Tensor& loss, std::span<const Tensor> leaves, GradientDone done);

}  // namespace jogak
