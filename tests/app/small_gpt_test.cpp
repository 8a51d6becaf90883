// The whole model of `jogak explain model`: its file of Python, the lesson and the engine agree.
#include "explain/small_gpt.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "app/models/model.h"
#include "base/error.h"
#include "base/file.h"
#include "explain/explain.h"
#include "io/safetensors.h"
#include "nn/run.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

Tensor tensor_of(const Matrix& m, bool vector) {
  std::vector<float> values(m.values.begin(), m.values.end());
  return vector ? from_values(values, {m.columns}) : from_values(values, {m.rows, m.columns});
}

// The small model as a directory of Hugging Face's.
void write_small(const std::string& directory) {
  make_directories(directory);
  write_file(directory + "/config.json",
             R"({"model_type":"gpt2","vocab_size":12,"n_positions":8,"n_embd":8,"n_layer":2,)"
             R"("n_head":2,"layer_norm_epsilon":1e-5,"activation_function":"gelu_new"})");
  NamedTensors tensors;
  for (const auto& [name, value] : SmallGpt().weights)
    tensors.emplace_back("transformer." + name,
                         tensor_of(value, value.rows == 1 && !name.starts_with("w")));
  save_safetensors(directory + "/model.safetensors", tensors, {{"format", "pt"}});
}

std::vector<double> engine_logits(const std::string& directory, const std::vector<int64_t>& ids) {
  const Model model = open_model(directory);
  Run run;
  const Tensor logits =
      model.causal.forward(from_values(ids, {1, static_cast<int64_t>(ids.size())}), run);
  const std::vector<float> values = to_host<float>(logits);
  return {values.begin(), values.end()};
}

const std::vector<int64_t> kIds = {3, 1, 4, 1, 5};

TEST(SmallGpt, TheLessonsLogitsAreTheEngines) {
  const TempDir dir;
  write_small(dir / "small");
  const std::vector<double> engine = engine_logits(dir / "small", kIds);
  const Matrix lesson = run_small_gpt(SmallGpt(), kIds).logits;
  ASSERT_EQ(engine.size(), lesson.values.size());
  for (size_t i = 0; i < engine.size(); ++i) EXPECT_NEAR(engine[i], lesson.values[i], 2e-5);
}

// What the file prints for a directory, by PyTorch; empty without it.
std::vector<double> printed_logits(const TempDir& dir, const std::string& model,
                                   const std::vector<int64_t>& ids) {
  const char* chosen = std::getenv("JOGAK_PYTHON");
  const std::string python = chosen && *chosen ? chosen : "/usr/bin/python3";
  if (std::system(("'" + python + "' -c 'import torch' >/dev/null 2>&1").c_str()) != 0) return {};
  ExplainRequest request;
  request.topic = "model";
  write_file(dir / "model.py", to_code(explain(request), "pytorch"));
  std::string command = "'" + python + "' '" + (dir / "model.py") + "' '" + model + "'";
  for (const int64_t id : ids) command += " " + std::to_string(id);
  EXPECT_EQ(std::system((command + " >'" + (dir / "out") + "'").c_str()), 0);
  const std::string out = read_file(dir / "out");
  EXPECT_TRUE(out.starts_with("logits = ")) << out;
  std::vector<double> values;
  const Json logits = parse_json(out.substr(9), "logits");
  for (const Json& row : logits.items())
    for (const Json& one : row.items()) values.push_back(one.number());
  return values;
}

TEST(SmallGpt, ItsFileGivesTheEnginesLogitsOfADirectory) {
  const TempDir dir;
  write_small(dir / "small");
  for (const std::string& model : {std::string(dir / "small"), test::golden_dir("gpt2-a")}) {
    const std::vector<double> printed = printed_logits(dir, model, kIds);
    if (printed.empty()) GTEST_SKIP() << "no python3 with torch; Debian has python3-torch";
    const std::vector<double> engine = engine_logits(model, kIds);
    ASSERT_EQ(printed.size(), engine.size()) << model;
    for (size_t i = 0; i < engine.size(); ++i) EXPECT_NEAR(printed[i], engine[i], 2e-5) << model;
  }
}

}  // namespace
}  // namespace jogak
