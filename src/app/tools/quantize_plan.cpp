#include "app/tools/quantize_plan.h"

#include <algorithm>

namespace jogak {
namespace {

constexpr char kMethod[] = "compressed-tensors";

std::string module_name(const std::string& weight) { return weight.substr(0, weight.rfind('.')); }

// Columns that share a scale among rounded values: as many as products take at once, of every
// layer.
int64_t columns_of_values(const QuantizeMatrices& matrices) {
  int64_t out = 128;
  for (const auto& [name, one] : matrices)
    while (!one.table && out > 1 && (one.plan.group % out != 0 || one.plan.shape[1] % out != 0))
      out /= 2;
  return out;
}

Json rounded_values(int64_t columns) {
  Json out = Json::object();
  out.set("num_bits", 8).set("type", "int").set("symmetric", true).set("dynamic", true);
  return std::move(out.set("strategy", "group").set("group_size", columns));
}

// values: columns that share a scale; 0: they are not rounded.
Json scheme(std::vector<std::string> targets, int bits, int64_t group, int64_t values) {
  Json weights = Json::object();
  weights.set("num_bits", bits).set("type", "int").set("symmetric", true).set("dynamic", false);
  weights.set("strategy", group > 0 ? "group" : "channel");
  weights.set("group_size", group > 0 ? Json(group) : Json());
  Json out = Json::object();
  out.set("targets", Json::list(targets)).set("weights", weights);
  out.set("input_activations", values > 0 ? rounded_values(values) : Json());
  out.set("output_activations", Json());
  return std::move(out.set("format", bits == 8 ? "int-quantized" : "pack-quantized"));
}

}  // namespace

QuantizeMatrices quantize_matrices(const Model& model, const ModelFiles& files, int bits,
                                   int64_t group) {
  const Family& family = family_of(model.config, join_path(files.directory(), "config.json"));
  QuantizeMatrices out;
  const auto add = [&](const Param& p, const std::string& ours) {
    const std::string name = model.store->file_name(ours);
    ensure<FormatError>(!is_quantized(files, name), files.directory(), ": ", name,
                        " is in small integers already, wanted a model in floats");
    Shape shape = files.info(name).shape;
    QuantizeMatrix one;
    one.transposed = family.names.is_transposed(ours), one.table = p.kind == WeightKind::table;
    if (one.transposed) shape = {shape[1], shape[0]};
    const bool wide = one.table || shape[1] % std::max<int64_t>(group, 1) != 0;
    const bool whole = group == 0 || wide;
    one.plan = {name, shape, wide ? 8 : bits, whole ? shape[1] : group};
    // transformers reads what is tied to it as a layer of its own, and wants its scale once more.
    for (const std::string& tied : model.store->tied_to(p)) one.also.push_back(module_name(tied));
    out.emplace(name, std::move(one));
  };
  for (const Param& p : model.store->all()) {
    if (p.kind == WeightKind::plain || p.value.rank() != 2) continue;
    if (p.parts.empty()) add(p, p.name);
    for (const ParamPart& part : p.parts) add(p, part.name);
  }
  return out;
}

Json quantized_config(const Json& config, const QuantizeMatrices& matrices, const ModelFiles& files,
                      int values) {
  std::vector<std::string> wide, tables, ignored;
  const int64_t columns = values == 8 ? columns_of_values(matrices) : 0;
  int bits = 8;
  int64_t group = 0;
  for (const auto& [name, one] : matrices) {
    const bool whole = one.plan.group == one.plan.shape[1];
    if (one.table || (one.plan.bits == 8 && whole)) {
      auto& list = one.table && columns > 0 ? tables : wide;  // what meets a table is not rounded
      list.push_back(module_name(name));
      list.insert(list.end(), one.also.begin(), one.also.end());
    } else {
      bits = one.plan.bits, group = one.plan.group;
    }
  }
  for (const std::string& name : files.names())
    if (name.ends_with(".weight") && !matrices.contains(name) && files.info(name).shape.rank() == 2)
      ignored.push_back(module_name(name));
  // Layers go by their class, what differs by name: transformers renames layers of some families.
  if (group == 0) wide.insert(wide.begin(), "Linear");
  Json groups = Json::object();
  const auto add = [&](const Json& one) {
    groups.set("group_" + std::to_string(groups.members().size()), one);
  };
  if (group > 0) add(scheme({"Linear"}, bits, group, columns));
  if (!wide.empty()) add(scheme(wide, 8, 0, columns));
  if (!tables.empty()) add(scheme(tables, 8, 0, 0));
  const char* format = group == 0 ? "int-quantized" : "mixed-precision";
  Json about = Json::object();
  about.set("quant_method", kMethod).set("format", format);
  about.set("quantization_status", "compressed").set("config_groups", groups);
  about.set("ignore", Json::list(ignored));
  Json out = config;
  return std::move(out.set("quantization_config", about));
}

}  // namespace jogak
