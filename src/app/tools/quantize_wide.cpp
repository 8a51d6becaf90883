#include "app/tools/quantize_wide.h"

#include <algorithm>

namespace jogak {
namespace {

constexpr double kWorse = 1.5;   // than the median
constexpr double kGrowth = 0.1;  // of the file, at most
constexpr double kRate = 2;      // of the distance to the size

double planned_bytes(const QuantizedPlan& p) {
  const auto count = static_cast<double>(p.shape.count());
  return count * p.bits / 8 + 4 * count / static_cast<double>(p.group);
}

struct WideCandidate {
  std::vector<std::string> names;
  double error = 0;
};

}  // namespace

WideChoice sensitive_layers(const Model& model, const QuantizeMatrices& matrices,
                            const RoundedFiles& rounded) {
  std::vector<WideCandidate> layers;
  for (const Param& p : model.store->all()) {
    WideCandidate one{rounded_parts(model, p, matrices), 0};
    std::erase_if(one.names, [&](const std::string& name) {
      return !rounded.has(matrices.at(name).plan) || matrices.at(name).plan.bits > 4;
    });
    for (const std::string& name : one.names) one.error = std::max(one.error, rounded.error(name));
    if (!one.names.empty()) layers.push_back(std::move(one));
  }
  WideChoice out{{}, 0, 0, matrices};
  if (layers.empty()) return out;
  std::stable_sort(
      layers.begin(), layers.end(),
      [](const WideCandidate& a, const WideCandidate& b) { return a.error > b.error; });
  out.median = layers[layers.size() / 2].error;
  double size = 0, more = 0;
  for (const auto& [name, one] : matrices) size += planned_bytes(one.plan);
  for (const WideCandidate& layer : layers) {
    if (!(layer.error > kWorse * out.median)) break;
    double grows = 0;
    for (const std::string& name : layer.names) {
      QuantizedPlan wide = matrices.at(name).plan;
      const double narrow = planned_bytes(wide);
      wide.bits = 8, wide.group = wide.shape[1];
      grows += planned_bytes(wide) - narrow;
    }
    if (more + grows > kGrowth * size) continue;
    more += grows, out.least = layer.error;
    for (const std::string& name : layer.names) {
      QuantizedPlan& plan = out.matrices.at(name).plan;
      plan.bits = 8, plan.group = plan.shape[1];
      out.names.push_back(name);
    }
  }
  return out;
}

bool wide_pays(double narrow, double wide, int64_t narrow_bytes, int64_t wide_bytes) {
  const double growth =
      static_cast<double>(wide_bytes - narrow_bytes) / static_cast<double>(narrow_bytes);
  return narrow - wide > kRate * growth * narrow;
}

}  // namespace jogak
