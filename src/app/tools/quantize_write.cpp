#include "app/tools/quantize_write.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/models/weight_progress.h"
#include "base/file.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

bool goes_along(const std::string& name) {
  constexpr std::string_view kWeights[] = {".safetensors", ".bin",  ".pt",   ".h5",
                                           ".msgpack",     ".onnx", ".gguf", ".index.json"};
  constexpr std::string_view kOwn[] = {"config.json", "checkpoints", "cache", "metrics.jsonl"};
  const bool weights = std::any_of(std::begin(kWeights), std::end(kWeights),
                                   [&](std::string_view end) { return name.ends_with(end); });
  const bool own = std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
  return !weights && !own && !name.starts_with(".") && !name.starts_with("events.out");
}

double error_of(const Tensor& w, const QuantizedMatrix& m) {
  const Tensor q = dequantized(m), x = dense(cast(w, DType::f32));
  double off = 0, size = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    const double a = x.data<float>()[i], d = a - q.data<float>()[i];
    off += d * d, size += a * a;
  }
  return size > 0 ? std::sqrt(off / size) : 0;
}

// Tensors of the new files, each made when it is written; `layers` learns what rounding cost.
TensorSources new_tensors(const QuantizedWeights& from, const QuantizeMatrices& matrices,
                          std::vector<QuantizedLayer>& layers) {
  TensorSources out;
  const ModelFiles& files = from.files;
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
    const RoundedFiles* const rounded =
        from.rounded && from.rounded->has(one.plan) ? from.rounded : nullptr;
    layers.push_back({name, one.plan.bits, -1, {}, {}});
    if (rounded) layers.back().output = rounded->error(name);
    if (rounded) layers.back().nearest = rounded->nearest(name);
    const auto make = [&files, &layers, one, place, rounded] {
      const QuantizedMatrix m =
          rounded ? rounded->get(one.plan)
                  : quantized(planned_matrix(files, one), one.plan.bits, one.plan.group);
      if (layers[place].error < 0) layers[place].error = error_of(planned_matrix(files, one), m);
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

}  // namespace

void copy_beside_weights(const std::string& from, const std::string& to) {
  for (const std::string& name : list_directory(from)) {
    if (!goes_along(name)) continue;
    fs::copy(join_path(from, name), join_path(to, name), fs::copy_options::recursive);
  }
}

std::vector<QuantizedLayer> write_quantized(const QuantizedWeights& weights,
                                            const QuantizeMatrices& matrices,
                                            const std::string& directory, Lang lang) {
  std::vector<QuantizedLayer> layers;
  make_directories(directory);
  write_file(
      join_path(directory, "config.json"),
      quantized_config(weights.model.config, matrices, weights.files, weights.values).dump(2) +
          "\n");
  write_weights(directory, new_tensors(weights, matrices, layers),
                lang == Lang::ko ? "양자화" : "quantizing", lang);
  return layers;
}

}  // namespace jogak
