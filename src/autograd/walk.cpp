// The walk back from a loss to its leaves.
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "autograd/autograd.h"
#include "autograd/profile.h"

namespace jogak {
namespace {

struct Pending {
  std::shared_ptr<GradNode> node;
  std::vector<Tensor> grads;  // one per output of the node
};

bool own(const Tensor& x) {
  return x.storage().use_count() == 1 && x.is_dense() && !x.storage()->borrowed();
}

// Adds in place only where nobody else can see the sum change.
void add_gradient(Tensor& sum, const Tensor& part) {
  if (!sum.defined()) {
    sum = part.detach();
    return;
  }
  if (!own(sum)) sum = clone(sum);
  accumulate(sum, part);
}

// An error on the way back names the op.
template <class Work>
auto named(const GradNode& node, Work work) {
  try {
    return work();
  } catch (const GradError& error) {
    fail<GradError>(node.op, ": ", error.what());
  }
}

class Walk {
 public:
  Walk(const Tensor& loss, std::span<const Tensor> leaves, const GradientDone* done = nullptr)
      : done_(done) {
    for (const Tensor& x : leaves) {
      ensure<GradError>(x.history() && x.history()->inputs.empty() && !x.history()->constant,
                        "gradients: asked for a tensor that is not a leaf, shape ", x.shape());
      leaves_.emplace(x.history().get(), Leaf{leaves_.size(), {}, 0});
    }
    if (done_) count_readers(loss.history().get());
    push({loss.history(), 0}, full(loss.shape(), 1.0, loss.dtype(), loss.device()));
  }

  void run() {
    while (!pending_.empty()) {
      const auto latest = std::prev(pending_.end());
      Pending next = std::move(latest->second);
      pending_.erase(latest);
      visit(*next.node, std::move(next.grads));
    }
  }

  void give_rest(std::span<const Tensor> leaves) {
    for (const Tensor& x : leaves)
      if (!leaves_.at(x.history().get()).given) give(x.history().get(), take(x));
  }

  // Whoever gets a gradient may change it: it is dense, and its memory is shared with nobody.
  Tensor take(const Tensor& x) {
    Tensor& grad = leaves_.at(x.history().get()).grad;
    if (!grad.defined()) return zeros(x.shape(), x.dtype(), x.device());
    if (!own(grad)) grad = clone(grad);
    return grad;
  }

 private:
  struct Leaf {
    size_t index;
    Tensor grad;
    int64_t readers;  // edges that lead to it and were not walked yet; -1: nobody knows
    bool given = false;
  };

  void count_readers(const GradNode* last) {
    std::unordered_set<const GradNode*> seen = {last};
    std::vector<const GradNode*> open = {last};
    bool known = true;
    while (!open.empty()) {
      const GradNode* const node = open.back();
      open.pop_back();
      known = known && !node->again;
      for (const GradNode::Edge& edge : node->inputs) {
        if (!edge.node) continue;
        if (const auto leaf = leaves_.find(edge.node.get()); leaf != leaves_.end())
          ++leaf->second.readers;
        else if (seen.insert(edge.node.get()).second)
          open.push_back(edge.node.get());
      }
    }
    if (!known)
      for (auto& [node, leaf] : leaves_) leaf.readers = -1;
  }

  void give(const GradNode* node, Tensor grad) {
    Leaf& leaf = leaves_.at(node);
    leaf.given = true;
    leaf.grad = {};
    (*done_)(leaf.index, std::move(grad));
  }

  // One edge less leads to a leaf. Behind the last its gradient need not wait for the others.
  void walked(const GradNode::Edge& edge) {
    if (!done_ || !edge.node) return;
    const auto found = leaves_.find(edge.node.get());
    if (found == leaves_.end() || --found->second.readers != 0) return;
    const auto waiting = pending_.find(edge.node->order);
    if (waiting == pending_.end()) return;  // nothing came: zeros, at the end
    Tensor grad = std::move(waiting->second.grads[0]);
    pending_.erase(waiting);
    give(found->first, own(grad) ? std::move(grad) : clone(grad));
  }

  // Later nodes come first, so a node is visited when all its consumers have been.
  void push(const GradNode::Edge& edge, const Tensor& grad) {
    if (!edge.node || !grad.defined()) return;
    Pending& entry = pending_[edge.node->order];
    if (!entry.node) {
      entry.node = edge.node;
      entry.grads.resize(static_cast<size_t>(edge.node->outputs));
    }
    add_gradient(entry.grads[static_cast<size_t>(edge.slot)], grad);
  }

  void visit(GradNode& node, std::vector<Tensor> grads) {
    ensure<GradError>(!node.constant, node.op, ": has no derivative, but a gradient was asked");
    if (node.inputs.empty()) {
      const auto found = leaves_.find(&node);
      if (found != leaves_.end()) found->second.grad = std::move(grads[0]);
      return;
    }
    ensure<GradError>(!node.used, node.op, ": its backward has run already; run forward again");
    if (node.again) return go_on_through(node, grads[0]);
    if (add_in_place(node, grads)) return;
    Grads inputs;
    timed(node, [&] { inputs = node.backward(grads); });
    grads.clear();
    node.used = true;
    node.backward = nullptr;  // what was saved is free from here on
    node.add = nullptr;
    ensure<GradError>(inputs.size() == node.inputs.size(), node.op, ": backward gave ",
                      inputs.size(), " gradients for ", node.inputs.size(), " inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
      {
        const Tensor part = std::move(inputs[i]);
        push(node.inputs[i], part);
      }
      walked(node.inputs[i]);
    }
  }

  bool add_in_place(GradNode& node, std::span<const Tensor> grads) {
    const GradNode::Edge& edge = node.inputs[0];
    if (!node.add || !edge.node) return false;
    const auto waiting = pending_.find(edge.node->order);
    if (waiting == pending_.end()) return false;
    Tensor& sum = waiting->second.grads[static_cast<size_t>(edge.slot)];
    if (!sum.defined() || !own(sum)) return false;
    sum.storage()->bump_version();
    timed(node, [&] { node.add(grads, sum); });
    node.used = true;
    node.backward = nullptr;
    node.add = nullptr;
    walked(edge);
    return true;
  }

  // What is recorded now is later than everything that waits, so it is walked through next, and in
  // the order it would have been walked through had it been recorded the first time.
  void go_on_through(GradNode& node, const Tensor& grad) {
    if (OpProfile* const profile = active_profile()) profile->mark();
    const Tensor y = named(node, [&] {
      const WithGrad taped;
      return node.again(node.inputs);
    });
    node.used = true;
    node.again = nullptr;
    push({y.history(), y.history_slot()}, grad);
  }

  template <class Work>
  static void timed(const GradNode& node, Work work) {
    OpProfile* const profile = active_profile();
    if (profile) profile->mark();
    named(node, work);
    if (profile) profile->backward(node.op);
  }

  std::map<uint64_t, Pending> pending_;
  std::unordered_map<const GradNode*, Leaf> leaves_;
  const GradientDone* done_;  // null: all are taken at the end
};

}  // namespace

static void check_loss(const Tensor& loss) {
  ensure<GradError>(loss.count() == 1, "gradients: the loss has shape ", loss.shape(),
                    ", wanted one element");
  ensure<GradError>(loss.history() != nullptr,
                    "gradients: the loss does not depend on any leaf (or was made under NoGrad)");
}

std::vector<Tensor> gradients(const Tensor& loss, std::span<const Tensor> leaves) {
  check_loss(loss);
  const NoGrad quiet;
  Walk walk(loss, leaves);
  walk.run();
  std::vector<Tensor> out;
  out.reserve(leaves.size());
  for (const Tensor& x : leaves) out.push_back(walk.take(x));
  return out;
}

void gradients(const Tensor& loss, std::span<const Tensor> leaves, GradientDone done) {
  check_loss(loss);
  const NoGrad quiet;
  Walk walk(loss, leaves, &done);
  walk.run();
  walk.give_rest(leaves);
}

}  // namespace jogak
