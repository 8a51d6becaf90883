#include "app/tools/quantize.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/measure/eval.h"
#include "app/models/adapter.h"
#include "app/models/target.h"
#include "app/models/weight_progress.h"
#include "app/tools/quantize_plan.h"
#include "base/file.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

// What stands beside the weights: tokenizers, preprocessing, the recipe, modules of embeddings.
bool goes_along(const std::string& name) {
  constexpr std::string_view kWeights[] = {".safetensors", ".bin",  ".pt",   ".h5",
                                           ".msgpack",     ".onnx", ".gguf", ".index.json"};
  constexpr std::string_view kOwn[] = {"config.json", "checkpoints", "cache", "metrics.jsonl"};
  const bool weights = std::any_of(std::begin(kWeights), std::end(kWeights),
                                   [&](std::string_view end) { return name.ends_with(end); });
  const bool own = std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
  return !weights && !own && !name.starts_with(".") && !name.starts_with("events.out");
}

void copy_along(const std::string& from, const std::string& to) {
  for (const std::string& name : list_directory(from)) {
    if (!goes_along(name)) continue;
    fs::copy(join_path(from, name), join_path(to, name), fs::copy_options::recursive);
  }
}

int bits_of(const std::string& type) {
  ensure<UsageError>(type == "q8" || type == "q4", "type: found ", type, ", wanted q8 or q4");
  return type == "q8" ? 8 : 4;
}

double error_of(const Tensor& w, const QuantizedMatrix& m) {
  const Tensor q = dequantized(m), x = cast(w, DType::f32);
  double off = 0, size = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    const double a = x.data<float>()[i], d = a - q.data<float>()[i];
    off += d * d, size += a * a;
  }
  return size > 0 ? std::sqrt(off / size) : 0;
}

// Tensors of the new files, each made when it is written; `layers` learns what rounding cost.
TensorSources new_tensors(const ModelFiles& files, const QuantizeMatrices& matrices,
                          std::vector<QuantizedLayer>& layers) {
  TensorSources out;
  for (const std::string& name : files.names()) {
    const auto found = matrices.find(name);
    if (found == matrices.end()) {
      const TensorInfo& info = files.info(name);
      ensure<FormatError>(info.type->dtype.has_value(), files.file_of(name), ": byte ", info.begin,
                          ": tensor ", name, " has unsupported dtype ", info.type->name);
      out.push_back(
          {name, *info.type->dtype, info.shape, [&files, name] { return files.get(name); }});
      continue;
    }
    const QuantizeMatrix& one = found->second;
    const size_t place = layers.size();
    layers.push_back({name, one.plan.bits, -1});
    const auto make = [&files, &layers, one, place] {
      const Tensor there = files.get(one.plan.name);
      const Tensor w =
          one.transposed
              ? dense(there.view({there.dim(1), there.dim(0)},
                                 {there.strides()[1], there.strides()[0]}, there.offset()))
              : there;
      const QuantizedMatrix m = quantized(w, one.plan.bits, one.plan.group);
      if (layers[place].error < 0) layers[place].error = error_of(w, m);
      return m;
    };
    for (TensorSource& source : quantized_sources(one.plan, make)) out.push_back(std::move(source));
    for (const std::string& head : one.also)
      out.push_back({head + ".weight_scale",
                     DType::f32,
                     {one.plan.shape[0], one.plan.shape[1] / one.plan.group},
                     [make] { return make().scales; }});
  }
  return out;
}

double measured_loss(const Model& model, const std::string& directory, const QuantizeOptions& o) {
  EvalOptions c;
  c.directory = directory, c.data = o.data, c.loss_only = true, c.lang = o.lang;
  return loss_of(evaluate(model, c));
}

}  // namespace

QuantizeReport quantize(const QuantizeOptions& o) {
  const int bits = bits_of(o.type);
  ensure<UsageError>(!is_adapter_directory(o.directory), o.directory,
                     ": adapters, wanted a model; jogak merge makes one of them");
  TargetDirectory target({o.out, o.overwrite, {o.directory}}, is_run_file);
  const int64_t group = o.group > 0 || bits == 8 ? o.group : 64;
  QuantizeReport report;
  report.type = o.type, report.group = group;
  {
    const Model before = open_model(o.directory, {.use = WeightUse::as_stored});
    const ModelFiles files(o.directory);
    const QuantizeMatrices matrices = quantize_matrices(before, files, bits, group);
    make_directories(target.path());
    copy_along(o.directory, target.path());
    write_file(join_path(target.path(), "config.json"),
               quantized_config(before.config, matrices, files).dump(2) + "\n");
    write_weights(target.path(), new_tensors(files, matrices, report.layers),
                  o.lang == Lang::ko ? "양자화" : "quantizing", o.lang);
    const Model after = open_model(target.path(), {.use = WeightUse::as_stored});
    const CostInputs inputs = cost_inputs(before, o.directory, o.data);
    report.model_type = before.model_type, report.measured_on = inputs.from;
    report.bytes_before = static_cast<int64_t>(files.bytes());
    report.bytes_after = static_cast<int64_t>(ModelFiles(target.path()).bytes());
    report.divergence = divergence(before, after, inputs.tensors);
    if (!o.data.empty()) {
      report.loss_before = measured_loss(before, o.directory, o);
      report.loss_after = measured_loss(after, target.path(), o);
    }
  }
  std::stable_sort(report.layers.begin(), report.layers.end(),
                   [](const auto& a, const auto& b) { return a.error > b.error; });
  target.finish();
  return report;
}

}  // namespace jogak
