#include "nn/run.h"

namespace jogak {

std::string ProbeStep::name() const {
  std::string out(path);
  for (const std::string_view more : {place, detail})
    if (!more.empty()) out += (out.empty() ? "" : ".") + std::string(more);
  return out;
}

void Probe::see(std::string_view, int64_t, const Tensor&) {}
Tensor Probe::pass(const ProbeStep&, const Tensor&, const Tensor& out) { return out; }
void Probe::attend(const ProbeStep&, AttentionOptions&) {}

LayerRun Run::layer(int64_t index, std::string_view path, bool source) {
  ensure<Stopped>(!stop || !stop->load(std::memory_order_relaxed), "stopped");
  return {*this, index, path, source};
}

}  // namespace jogak
