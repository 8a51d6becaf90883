#include "autograd/autograd.h"

#include <atomic>

#include "autograd/profile.h"

namespace jogak {
namespace {

thread_local bool recording = true;
thread_local NoGrad* innermost = nullptr;
std::atomic<uint64_t> next_order{0};

}  // namespace

GradNode::~GradNode() {
  std::vector<std::shared_ptr<GradNode>> pending;
  const auto take = [&](GradNode& node) {
    for (Edge& edge : node.inputs)
      if (edge.node) pending.push_back(std::move(edge.node));
    node.inputs.clear();
  };
  take(*this);
  while (!pending.empty()) {
    const std::shared_ptr<GradNode> node = std::move(pending.back());
    pending.pop_back();
    if (node.use_count() == 1) {
      node->backward = nullptr;  // closures may hold tensors, but never nodes
      node->again = nullptr;
      node->add = nullptr;
      take(*node);
    }
  }
}

NoGrad::NoGrad() : before_(recording), outer_(innermost) {
  recording = false;
  innermost = this;
}
NoGrad::~NoGrad() {
  recording = before_;
  innermost = outer_;
}

WithGrad::WithGrad() : before_(recording) { recording = true; }
WithGrad::~WithGrad() { recording = before_; }

bool grad_enabled() { return recording; }

bool needs_grad(const Tensor& x) { return recording && x.defined() && x.history() != nullptr; }

Tensor leaf(const Tensor& values) {
  ensure<GradError>(is_float(values.dtype()), "a leaf of ", values.dtype(),
                    " has no gradient: wanted a float type");
  Tensor out = values.detach();
  auto node = std::make_shared<GradNode>();
  node->op = "leaf";
  node->order = next_order++;
  out.set_history(std::move(node), 0);
  return out;
}

const Tensor& Saved::get() const {
  ensure<GradError>(!tensor_.defined() || tensor_.storage()->version() == version_,
                    "a tensor of shape ", tensor_.shape(),
                    " that backward needs was changed in place after the forward pass");
  return tensor_;
}

namespace detail {

bool any_needs_grad(std::span<const Tensor> inputs) {
  bool found = false;
  for (const Tensor& x : inputs) found = found || (x.defined() && x.history());
  if (found && !recording) innermost->missed_ = true;
  return found && recording;
}

void attach(const char* op, std::span<Tensor> outputs, std::span<const Tensor> inputs,
            GradNode::Backward backward, bool constant) {
  if (OpProfile* profile = active_profile()) profile->forward(op);
  auto node = std::make_shared<GradNode>();
  node->op = op;
  node->order = next_order++;
  node->outputs = static_cast<int>(outputs.size());
  node->constant = constant;
  node->backward = std::move(backward);
  node->inputs.reserve(inputs.size());
  for (const Tensor& x : inputs)
    node->inputs.push_back(x.defined() ? GradNode::Edge{x.history(), x.history_slot()}
                                       : GradNode::Edge{});
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].defined()) outputs[i].set_history(node, static_cast<int>(i));
}

}  // namespace detail

void set_adding(const Tensor& y, std::function<void(const Tensor& dy, const Tensor& sum)> add) {
  if (!y.history()) return;
  y.history()->add = [f = std::move(add)](std::span<const Tensor> dy, const Tensor& sum) {
    f(dy[0], sum);
  };
}

Tensor record_constant(const char* op, Tensor y, std::initializer_list<Tensor> inputs) {
  const std::span<const Tensor> in(inputs.begin(), inputs.size());
  if (detail::any_needs_grad(in)) detail::attach(op, std::span(&y, 1), in, {}, true);
  return y;
}

}  // namespace jogak
