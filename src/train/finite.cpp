#include "train/finite.h"

#include <cmath>

#include "autograd/autograd.h"
#include "ops/grad_norm.h"

namespace jogak {
namespace {

class FiniteProbe final : public Probe {
 public:
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    if (!found_.empty() || !value.defined() || !is_float(value.dtype())) return;
    const Tensor x = value.detach();
    if (!std::isfinite(squared_norms(std::span(&x, 1))[0]))
      found_ = layer >= 0 ? text_of(name, " of layer ", layer) : std::string(name);
  }
  const std::string& found() const { return found_; }

 private:
  std::string found_;
};

}  // namespace

std::vector<double> squared_norms(std::span<const Tensor> tensors) {
  if (tensors.empty()) return {};
  Device& device = tensors[0].device();
  const Tensor each = empty({static_cast<int64_t>(tensors.size())}, DType::f64, device);
  squared_norm(tensors, each, empty({}, DType::f64, device));
  return to_host<double>(each);
}

std::string first_bad_value(const TrainTask& task, std::span<const Picks> pieces, Run& run) {
  const NoGrad quiet;
  FiniteProbe probe;
  Run again = run;
  again.probe = &probe;
  again.begin_step(run.step);  // the same dropout
  for (const Picks& picks : pieces)
    if (probe.found().empty()) task.prepare(picks)(again);
  return probe.found();
}

}  // namespace jogak
