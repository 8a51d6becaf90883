// What `jogak plan` knows by name: GPUs as their makers describe them, models as published.
#include "app/tools/plan.h"
#include "base/error.h"
#include "base/file.h"
#include "base/suggest.h"

namespace jogak {
namespace {

constexpr double kHopperFlops = 989e12;

const PlanGpu kGpus[] = {
    {"a100", 312e12, 80e9, 2.0e12, 300e9, 25e9, 8},
    {"h100", kHopperFlops, 80e9, 3.35e12, 450e9, 50e9, 8},
    {"h200", kHopperFlops, 141e9, 4.8e12, 450e9, 50e9, 8},
};

int64_t first_of_keys(const Fields& fields, std::initializer_list<const char*> keys,
                      int64_t otherwise) {
  for (const char* key : keys)
    if (fields.has(key)) return fields.integer(key, {.low = 1, .high = int64_t{1} << 31});
  ensure<FormatError>(otherwise > 0, fields.file(), ": found no \"", *keys.begin(),
                      "\", wanted the configuration of a decoder");
  return otherwise;
}

PlanModel model_of(const std::string& file) {
  const Json json = read_json_file(file);
  const Fields fields(json, file);
  PlanModel out;
  out.name = fields.text_or("model_type", "model");
  out.width = first_of_keys(fields, {"hidden_size", "n_embd", "d_model"}, 0);
  out.layers = first_of_keys(fields, {"num_hidden_layers", "n_layer"}, 0);
  out.vocab = first_of_keys(fields, {"vocab_size"}, 0);
  out.context = first_of_keys(fields, {"max_position_embeddings", "n_positions"}, 0);
  out.inner = first_of_keys(fields, {"intermediate_size", "n_inner"}, 4 * out.width);
  const int64_t heads = first_of_keys(fields, {"num_attention_heads", "n_head"}, 1);
  const int64_t key_heads = first_of_keys(fields, {"num_key_value_heads"}, heads);
  out.keys = out.width * key_heads / heads;
  out.gated = fields.text_or("hidden_act", "") == "silu";
  return out;
}

// "gemm": [[rows, columns, inner, share of tflops], ...], as `jogak bench machine --shapes` has it.
std::vector<PlanProduct> gemm_of(const Json& json, const std::string& file) {
  ensure<FormatError>(json.is_array() && !json.items().empty(), file, ": gemm: found ", json.dump(),
                      ", wanted a list of products");
  std::vector<PlanProduct> out;
  for (const Json& row : json.items()) {
    double values[4] = {};
    ensure<FormatError>(row.is_array() && row.items().size() == std::size(values), file,
                        ": gemm: found ", row.dump(),
                        ", wanted [rows, columns, inner, share], all above 0");
    for (size_t i = 0; i < std::size(values); ++i) {
      const Json& one = row.items()[i];
      ensure<FormatError>(one.is_number() && one.number() > 0, file, ": gemm: found ", row.dump(),
                          ", wanted [rows, columns, inner, share], all above 0");
      values[i] = one.number();
    }
    out.push_back({values[0], values[1], values[2], values[3]});
  }
  return out;
}

PlanGpu gpu_of(const std::string& file) {
  const Json json = read_json_file(file);
  const Fields f(json, file);
  PlanGpu out{f.text("name"),
              f.number("tflops") * 1e12,
              f.number("memory_gb") * 1e9,
              f.number("memory_gb_s") * 1e9,
              f.number("link_gb_s") * 1e9,
              f.number("network_gb_s") * 1e9,
              f.integer_or("per_machine", 8, {.low = 1, .high = 1024})};
  const auto own = [&](const char* key, double& value) {
    if (f.has(key)) value = f.number(key);
    ensure<FormatError>(value >= 0, file, ": found ", key, " ", value, ", wanted 0 or more");
  };
  own("products", out.products), own("moved", out.moved);
  own("small_side", out.small_side), own("number_bytes", out.number_bytes);
  double microseconds = 1e6 * out.latency;
  own("latency_us", microseconds);
  out.latency = 1e-6 * microseconds;
  if (const Json* gemm = json.find("gemm")) out.gemm = gemm_of(*gemm, file);
  out.at_once = f.integer_or("at_once", 0, {.low = 0, .high = 1 << 20});
  return out;
}

}  // namespace

std::vector<std::string> plan_gpu_names() {
  std::vector<std::string> out;
  for (const PlanGpu& gpu : kGpus) out.push_back(gpu.name);
  return out;
}

PlanModel plan_model(const std::string& name) {
  if (name == "gpt2") return {"gpt2", 768, 12, 50257, 1024, 3072, 768, false};
  if (name == "llama") return {"llama", 4096, 32, 32000, 4096, 11008, 4096, true};
  return model_of(is_directory(name) ? join_path(name, "config.json") : name);
}

PlanGpu plan_gpu(const std::string& name) {
  for (PlanGpu gpu : kGpus) {
    if (gpu.name != name) continue;
    if (gpu.flops == kHopperFlops) {
      gpu.gemm = hopper_products();
      gpu.products *= kKeptOfProducts;
    }
    return gpu;
  }
  return gpu_of(name);
}

}  // namespace jogak
