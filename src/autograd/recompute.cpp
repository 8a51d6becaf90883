#include "autograd/recompute.h"

namespace jogak {
namespace {

// The inputs as they were, with the history they had.
std::vector<Tensor> restored(std::span<const Saved> kept, std::span<const GradNode::Edge> edges) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < kept.size(); ++i) {
    out.push_back(kept[i].get());
    if (edges[i].node) out.back().set_history(edges[i].node, edges[i].slot);
  }
  return out;
}

}  // namespace

Tensor recompute(const char* name, std::span<const Tensor> inputs, Recomputed part) {
  if (!grad_enabled()) return part(inputs, false);
  Tensor y;
  bool learns = detail::any_needs_grad(inputs);
  {
    const NoGrad quiet;
    y = part(inputs, false).detach();
    learns = learns || quiet.missed();
  }
  if (!learns) return y;
  detail::attach(name, std::span(&y, 1), inputs, {}, false);
  y.history()->again = [kept = std::vector<Saved>(inputs.begin(), inputs.end()),
                        part = std::move(part)](std::span<const GradNode::Edge> edges) {
    return part(restored(kept, edges), true);
  };
  return y;
}

}  // namespace jogak
