#include "app/tools/gguf_rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {
namespace {

constexpr char kFactors[] = "rope_freqs.weight", kLong[] = "rope_factors_long.weight",
               kShort[] = "rope_factors_short.weight";

// LLaMA 3.1's rule: waves up to a length stay, those above another are stretched by a factor, the
// ones between by something between. The file has only what each wave's frequency is divided by.
struct Llama3Rule {
  double factor = 8, low = 1, high = 4, context = 8192;

  double divisor(double wave) const {
    if (wave < context / high) return 1;
    if (wave > context / low) return factor;
    const double share = (context / wave - low) / (high - low);
    return 1 / ((1 - share) / factor + share);
  }
};

bool follows(const Llama3Rule& rule, const std::vector<double>& divisors, double theta) {
  const auto pairs = static_cast<double>(divisors.size());
  for (size_t i = 0; i < divisors.size(); ++i) {
    const double wave = 2 * std::numbers::pi * std::pow(theta, static_cast<double>(i) / pairs);
    if (std::abs(rule.divisor(wave) - divisors[i]) > 1e-4 * divisors[i]) return false;
  }
  return true;
}

Json llama3_scaling(const GgufFile& file, double theta) {
  const std::vector<double> divisors = to_host<double>(file.read(kFactors));
  ensure<FormatError>(!divisors.empty(), file.path(), ": tensor ", kFactors, " is empty");
  const Llama3Rule rule{.factor = *std::max_element(divisors.begin(), divisors.end())};
  ensure<FormatError>(follows(rule, divisors, theta), file.path(), ": tensor ", kFactors,
                      " divides frequencies otherwise than LLaMA 3.1's rule from 8192 tokens on; "
                      "wanted that rule");
  Json out = Json::object();
  out.set("rope_type", "llama3").set("factor", rule.factor).set("low_freq_factor", rule.low);
  out.set("high_freq_factor", rule.high).set("original_max_position_embeddings", 8192);
  return out;
}

Json longrope_scaling(const GgufFile& file) {
  Json out = Json::object();
  out.set("rope_type", "longrope");
  out.set("long_factor", Json::list(to_host<double>(file.read(kLong))));
  out.set("short_factor", Json::list(to_host<double>(file.read(kShort))));
  return out;
}

Json named_scaling(const GgufFile& file, const std::string& prefix, const std::string& type) {
  Json out = Json::object();
  out.set("rope_type", type).set("factor", file.number_or(prefix + "scaling.factor", 1));
  if (type == "yarn")
    out.set("original_max_position_embeddings",
            file.integer(prefix + "scaling.original_context_length", kGgufSize));
  return out;
}

}  // namespace

bool is_gguf_rope(const std::string& tensor) {
  return tensor == kFactors || tensor == kLong || tensor == kShort;
}

void set_gguf_rope(const GgufFile& file, const std::string& architecture, int64_t head, Json& out) {
  const std::string prefix = architecture + ".rope.";
  const double theta = file.number_or(prefix + "freq_base", 10000);
  out.set("rope_theta", theta);
  const int64_t rotated = file.integer_or(prefix + "dimension_count", head, kGgufSize);
  if (architecture == "phi3" && rotated < head)
    out.set("partial_rotary_factor", static_cast<double>(rotated) / static_cast<double>(head));
  else if (rotated != head)
    file.wrong(prefix + "dimension_count", text_of(head, ", the elements of a head"));
  const std::string key = prefix + "scaling.type", type = file.text_or(key, "none");
  if (file.tensors().contains(kLong) && file.tensors().contains(kShort)) {
    out.set("rope_scaling", longrope_scaling(file));
    out.set("original_max_position_embeddings",
            file.integer(prefix + "scaling.original_context_length", kGgufSize));
  } else if (file.tensors().contains(kFactors)) {
    out.set("rope_scaling", llama3_scaling(file, theta));
  } else if (type == "linear" || type == "yarn") {
    out.set("rope_scaling", named_scaling(file, prefix, type));
  } else if (type != "none") {
    file.wrong(key, "\"none\", \"linear\" or \"yarn\"");
  }
}

}  // namespace jogak
