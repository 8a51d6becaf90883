#include "app/tools/quantize.h"

#include <algorithm>
#include <filesystem>

#include "app/measure/eval.h"
#include "app/models/adapter.h"
#include "app/models/target.h"
#include "app/tools/quantize_wide.h"
#include "app/tools/quantize_write.h"
#include "base/file.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

int bits_of(const std::string& type) {
  ensure<UsageError>(type == "q8" || type == "q4", "type: found ", type, ", wanted q8 or q4");
  return type == "q8" ? 8 : 4;
}

double measured_loss(const Model& model, const std::string& directory, const QuantizeOptions& o) {
  EvalOptions c;
  c.directory = directory, c.data = o.data, c.loss_only = true, c.lang = o.lang;
  return loss_of(evaluate(model, c));
}

double distance_of(const Divergence& d) { return d.kl.value_or(d.error); }

int64_t bytes_in(const std::string& directory) {
  return static_cast<int64_t>(ModelFiles(directory).bytes());
}

// The plan with sensitive layers in 8 bits, written beside the first: it takes its place where that
// pays.
void try_wide(const QuantizedWeights& weights, const WideChoice& choice, const CostInputs& inputs,
              const std::string& directory, Lang lang, QuantizeReport& report) {
  const std::string beside = join_path(directory, "wide");
  std::vector<QuantizedLayer> layers = write_quantized(weights, choice.matrices, beside, lang);
  const Divergence found =
      divergence(weights.model, open_model(beside, {.use = WeightUse::as_stored}), inputs.tensors);
  WideLayers& wide = report.wide;
  wide = {choice.names, false, choice.least, choice.median, 0, 0, 0, 0};
  wide.distance = distance_of(report.divergence), wide.wide = distance_of(found);
  wide.bytes = report.bytes_after, wide.wide_bytes = bytes_in(beside);
  wide.kept = wide_pays(wide.distance, wide.wide, wide.bytes, wide.wide_bytes);
  if (wide.kept) {
    for (const std::string& name : list_directory(directory))
      if (name.ends_with(".safetensors") || name == kModelIndexFile)
        fs::remove(join_path(directory, name));
    for (const std::string& name : list_directory(beside))
      fs::rename(join_path(beside, name), join_path(directory, name));
    report.layers = std::move(layers), report.divergence = found;
    report.bytes_after = wide.wide_bytes;
  }
  fs::remove_all(beside);
}

void sort_layers(std::vector<QuantizedLayer>& layers) {
  std::stable_sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.output.value_or(0), a.error) > std::pair(b.output.value_or(0), b.error);
  });
}

}  // namespace

QuantizeReport quantize(const QuantizeOptions& o) {
  const int bits = bits_of(o.type);
  ensure<UsageError>(!is_adapter_directory(o.directory), o.directory,
                     ": adapters, wanted a model; jogak merge makes one of them");
  ensure<UsageError>(o.values == 16 || o.values == 8, "values: found ", o.values,
                     ", wanted 16 or 8");
  TargetDirectory target({o.out, o.overwrite, {o.directory}}, is_run_file);
  const int64_t group = o.group > 0 || bits == 8 ? o.group : 64;
  QuantizeReport report;
  report.type = o.type, report.group = group, report.values = o.values;
  {
    const Model before = open_model(o.directory, {.use = WeightUse::as_stored});
    const ModelFiles files(o.directory);
    const QuantizeMatrices matrices = quantize_matrices(before, files, bits, group);
    make_directories(target.path());
    copy_beside_weights(o.directory, target.path());
    RoundedFiles rounded(join_path(target.path(), "rounded"));
    if (!o.data.empty())
      round_on_data(before, files, matrices, {o.directory, o.data, o.lang}, rounded);
    const QuantizedWeights weights{before, files, &rounded, o.values};
    report.layers = write_quantized(weights, matrices, target.path(), o.lang);
    const CostInputs inputs = cost_inputs(before, o.directory, o.data);
    report.model_type = before.model_type, report.measured_on = inputs.from;
    report.bytes_before = static_cast<int64_t>(files.bytes());
    report.bytes_after = bytes_in(target.path());
    const auto opened = [&] { return open_model(target.path(), {.use = WeightUse::as_stored}); };
    report.divergence = divergence(before, opened(), inputs.tensors);
    const WideChoice choice = sensitive_layers(before, matrices, rounded);
    if (!choice.names.empty()) try_wide(weights, choice, inputs, target.path(), o.lang, report);
    if (o.values == 8)
      report.finer = divergence(
          before, open_model(target.path(), {.use = WeightUse::as_stored, .value_bits = 16}),
          inputs.tensors);
    if (!o.data.empty()) {
      report.loss_before = measured_loss(before, o.directory, o);
      report.loss_after = measured_loss(opened(), target.path(), o);
    }
  }
  sort_layers(report.layers);
  target.finish();
  return report;
}

}  // namespace jogak
