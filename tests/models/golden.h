// What the tests of every family ask of a model and its golden.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "io/model_files.h"
#include "io/safetensors.h"
#include "models/families.h"
#include "nn/params.h"
#include "nn/run.h"
#include "tests/support/golden.h"

namespace jogak::test {

inline constexpr double kGoldenTolerance = 1e-4;  // of the largest element

inline void expect_golden(const Tensor& got, const Tensor& wanted, const std::string& name) {
  const double d = relative_distance(got, wanted);
  printf("  %-60s max|a-b|/max|b| = %.2e\n", name.c_str(), d);
  EXPECT_LE(d, kGoldenTolerance) << name;
}

// Compares everything a model shows on its way: "hidden_states.2", "attentions.0".
class GoldenWatch : public Probe {
 public:
  explicit GoldenWatch(const SafetensorsFile& golden) : golden_(golden) {}
  bool wants_attention() const override { return true; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    const std::string key = text_of(name, ".", layer);
    expect_golden(value, golden_.get(key), key);
    ++seen;
  }
  int64_t seen = 0;

 private:
  const SafetensorsFile& golden_;
};

inline Json config_json(const std::string& name) {
  return read_json_file(golden_dir(name) + "/config.json");
}

// A golden's model as its directory has it, or under another configuration.
template <class Net>
struct ModelGolden {
  ModelFiles files;
  SafetensorsFile golden;
  ParamStore store;
  Net model;

  explicit ModelGolden(const std::string& name) : ModelGolden(name, config_json(name)) {}
  ModelGolden(const std::string& name, const Json& config)
      : files(golden_dir(name)),
        golden(golden_dir(name) + "/golden.safetensors"),
        store(ParamStore::from_files(files, family_of(config, "config.json").names)),
        model(Params(store), read_config<decltype(Net::config)>(config, "config.json")) {
    store.finish();
  }
  // The golden's tensor; undefined when it has none of that name.
  Tensor get(const std::string& name) const {
    return golden.has(name) ? golden.get(name) : Tensor();
  }
};

inline double largest(const Tensor& x) {
  double most = 0;
  for (const float value : to_host<float>(x)) most = std::max(most, std::abs(double{value}));
  return most;
}

// The query bias beside a key bias that stands by itself; empty for every other name.
inline std::string query_bias_of(const std::string& name) {
  constexpr const char* kPairs[][2] = {{"k_proj.bias", "q_proj.bias"},
                                       {"key.bias", "query.bias"},
                                       {"k_lin.bias", "q_lin.bias"},
                                       {"attn.k.bias", "attn.q.bias"}};
  for (const auto& [key, query] : kPairs)
    if (name.ends_with(key)) return name.substr(0, name.size() - std::string(key).size()) + query;
  return {};
}

// "a.bias" -> "a.weight"; empty for every other name.
inline std::string weight_beside(const std::string& name) {
  const std::string ending = ".bias";
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) + ".weight" : "";
}

// Every gradient, named and laid out as in the file; none of the golden's may be left over.
inline void expect_golden_gradients(const ParamStore& store, const std::vector<Tensor>& grads,
                                    const SafetensorsFile& golden,
                                    const std::string& under = "grads.") {
  size_t i = 0, compared = 0;
  for (const Param& p : store.all()) {
    if (!p.trained) continue;
    for (const auto& [name, grad] : store.in_file_layout(p, grads[i++])) {
      ++compared;
      if (const std::string weight = weight_beside(name);
          golden.has(under + weight) &&
          largest(golden.get(under + name)) < 1e-5 * largest(golden.get(under + weight))) {
        // Softmax over all tokens ignores what is added to every score: both are rounding.
        EXPECT_LE(largest(grad), kGoldenTolerance * largest(golden.get(under + weight))) << name;
        continue;
      }
      const std::string query = query_bias_of(name);
      // Where keys rotate with their position, a key bias counts.
      const bool counts =
          query.empty() ||
          largest(golden.get(under + name)) > kGoldenTolerance * largest(golden.get(under + query));
      if (counts) {
        expect_golden(grad, golden.get(under + name), under + name);
        continue;
      }
      // Softmax ignores a key bias: both are rounding, small beside the query bias's gradient.
      EXPECT_LE(largest(grad), kGoldenTolerance * largest(golden.get(under + query))) << name;
    }
  }
  size_t in_golden = 0;
  for (const std::string& name : golden.names()) in_golden += name.starts_with(under);
  EXPECT_EQ(compared, in_golden);
}

}  // namespace jogak::test
