// Runs the Python that lessons print and compares every number with the lesson's own.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "tests/explain/lessons.h"
#include "tests/explain/random_inputs.h"

namespace jogak {
namespace {

using test::asking;

// The Python that has the module: $JOGAK_PYTHON, the first on the path, or the system's; "" if
// none.
std::string python_with(const std::string& module) {
  const char* chosen = std::getenv("JOGAK_PYTHON");
  const std::vector<std::string> all =
      chosen && *chosen ? std::vector<std::string>{chosen}
                        : std::vector<std::string>{"python3", "/usr/bin/python3"};
  for (const std::string& one : all)
    if (std::system(("'" + one + "' -c 'import " + module + "' >/dev/null 2>&1").c_str()) == 0)
      return one;
  return "";
}

struct Case {
  std::string name;
  Lesson lesson;
};

std::vector<Case> cases() {
  std::vector<ExplainRequest> requests;
  for (const std::string& topic : explain_topics()) requests.push_back(asking(topic));
  ExplainRequest request = asking("attention");
  request.causal = true;
  requests.push_back(request);
  request.causal = false;
  request.inputs = {{"q", {{1, -2}, {0.5, 3}}},
                    {"k", {{1, 1}, {0, -1}, {2, 0.25}}},
                    {"v", {{1}, {2}, {-3.5}}},
                    {"mask", {{1, 0, 1}, {0, 0, 0}}}};
  requests.push_back(request);
  request = asking("softmax");
  for (const Matrix& x : {Matrix{{1000, 999.5}}, Matrix{{-900, -901}}, Matrix{{5}}}) {
    request.inputs = {{"x", x}};
    requests.push_back(request);
  }
  request = asking("layernorm");
  for (const Matrix& x : {Matrix{{7}}, Matrix{{1, -2, 0.5, 8, 3}}, Matrix{{3, 3}}}) {
    request.inputs = {{"x", x}, {"eps", {{0.001}}}};
    requests.push_back(request);
  }
  request = asking("positions");
  request.inputs = {{"d", {{12}}}, {"length", {{3}}}};
  requests.push_back(request);
  request = asking("masks");
  request.inputs = {{"scores", {{1, 800}, {0, -3}}}, {"padding", {{0, 1}}}};
  requests.push_back(request);
  Rng rng(5);
  for (const std::string& topic : explain_topics())
    if (test::can_randomise(topic)) requests.push_back(test::random_request(topic, rng));
  std::vector<Case> out;
  for (const ExplainRequest& base : requests)
    for (const Level level : test::kLevels)
      for (const Lang lang : {Lang::en, Lang::ko}) {
        if (lang == Lang::ko && !base.inputs.empty()) continue;
        ExplainRequest one = base;
        one.level = level;
        one.lang = lang;
        const std::string name = text_of("case", out.size());
        out.push_back({name, explain(one)});
      }
  return out;
}

// PyTorch before 2.0, as Debian 12 has it, lacks the one function a lesson compares itself with.
constexpr std::string_view kDriver = R"(import math, sys
try:
    import torch
    import torch.nn.functional as F
    if not hasattr(F, "scaled_dot_product_attention"):
        def attend(q, k, v, attn_mask=0):
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + attn_mask
            return torch.softmax(scores, -1) @ v
        F.scaled_dot_product_attention = attend
except ImportError:
    pass
for path in sys.argv[1:]:
    print("== " + path)
    exec(compile(open(path, encoding="utf-8").read(), path, "exec"), {"__name__": "__main__"})
)";

// What one script printed: the lines "name = numbers", by name.
using Output = std::map<std::string, std::vector<double>>;

void flatten(const Json& json, std::vector<double>& out) {
  if (json.is_array()) {
    for (const Json& item : json.items()) flatten(item, out);
  } else {
    out.push_back(json.is_null() ? -INFINITY : json.number());
  }
}

std::map<std::string, Output> read_output(const std::string& text) {
  std::map<std::string, Output> out;
  std::string current;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("== ")) {
      current = file_name(line.substr(3));
      continue;
    }
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) {
      ADD_FAILURE() << "unexpected: " << line;
      continue;
    }
    std::string numbers = line.substr(equals + 3);
    for (size_t i; (i = numbers.find("-inf")) != std::string::npos;) numbers.replace(i, 4, "null");
    std::vector<double> values;
    flatten(parse_json(numbers, current), values);
    EXPECT_TRUE(out[current].emplace(line.substr(0, equals), values).second) << line;
  }
  return out;
}

void compare(const Lesson& lesson, const Output& output) {
  size_t tables = 0;
  for (const Step& step : lesson.steps)
    for (const Table& table : step.tables) {
      ++tables;
      const auto found = output.find(table.name);
      ASSERT_NE(found, output.end()) << lesson.topic << ": the code does not print " << table.name;
      const std::vector<double>& wanted = table.values.values;
      ASSERT_EQ(found->second.size(), wanted.size()) << lesson.topic << " " << table.name;
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (std::isinf(wanted[i])) {
          EXPECT_EQ(found->second[i], wanted[i]);
          continue;
        }
        const double half =
            0.5 * std::pow(10.0, -std::max(6, table.digits)) + 1e-9 * std::abs(wanted[i]);
        EXPECT_NEAR(found->second[i], wanted[i], half) << lesson.topic << " " << table.name;
      }
    }
  if (lesson.level != Level::story) {
    EXPECT_EQ(tables, output.size()) << lesson.topic << ": the code prints what the lesson lacks";
  }
}

void run_all(const std::string& library, const std::string& python) {
  const std::string folder =
      join_path(::testing::TempDir(), text_of("jogak-code-", library, "-", getpid()));
  make_directories(folder);
  write_file(join_path(folder, "driver.py"), kDriver);
  const std::vector<Case> all = cases();
  std::string command = "'" + python + "' '" + join_path(folder, "driver.py") + "'";
  for (const Case& one : all) {
    write_file(join_path(folder, one.name), to_code(one.lesson, library));
    command += " '" + join_path(folder, one.name) + "'";
  }
  const std::string output = join_path(folder, "output"), errors = join_path(folder, "errors");
  const int status = std::system((command + " >'" + output + "' 2>'" + errors + "'").c_str());
  ASSERT_EQ(status, 0) << read_file(errors);
  EXPECT_EQ(read_file(errors), "");  // no warnings either
  const auto printed = read_output(read_file(output));
  ASSERT_EQ(printed.size(), all.size());
  for (const Case& one : all) compare(one.lesson, printed.at(one.name));
  std::filesystem::remove_all(folder);
}

TEST(PythonCode, NumpyPrintsTheSameNumbers) {
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy; Debian has python3-numpy";
  run_all("numpy", python);
}

TEST(PythonCode, PytorchPrintsTheSameNumbers) {
  const std::string python = python_with("torch");
  if (python.empty()) GTEST_SKIP() << "no python3 with torch; Debian has python3-torch";
  run_all("pytorch", python);
}

}  // namespace
}  // namespace jogak
