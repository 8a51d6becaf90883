// The lesson on heads and `jogak inspect heads` measure the same numbers and give the same names.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "look/head_stats.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

// Weights as heads have them: some pointed, some even, some behind a causal mask.
Matrix random_weights(Rng& rng, int64_t n) {
  Matrix out(n, n);
  const double sharpness = rng.uniform() * 8;
  const bool causal = rng.below(2) == 0;
  for (int64_t i = 0; i < n; ++i) {
    double total = 0;
    for (int64_t j = 0; j < (causal ? i + 1 : n); ++j)
      total += out.at(i, j) = std::exp(sharpness * rng.uniform());
    for (int64_t j = 0; j < n; ++j) out.at(i, j) /= total;
  }
  return out;
}

TEST(Heads, TheLessonAndInspectAgree) {
  Rng rng(11);
  std::map<std::string, int> names;
  for (int trial = 0; trial < 60; ++trial) {
    const int64_t n = 2 + static_cast<int64_t>(rng.below(7));
    ExplainRequest request = test::asking("heads");
    request.inputs["a"] = random_weights(rng, n);
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < n; ++i) {
      ids.push_back(static_cast<int64_t>(rng.below(3)));
      request.words.push_back(std::string(1, static_cast<char>('p' + ids.back())));
    }
    const HeadMeasures m = head_stats(request.inputs["a"], ids, false);
    const Lesson lesson = explain(request);
    const std::pair<const char*, double> numbers[] = {
        {"previous", m.previous}, {"following", m.next},  {"first", m.first},
        {"itself", m.itself},     {"same", m.same},       {"induction", m.induction},
        {"near", m.near},         {"entropy", m.entropy}, {"distance", m.distance},
        {"even", m.even}};
    for (const auto& [name, value] : numbers) {
      const Table* table = test::find_table(lesson, name);
      EXPECT_EQ(table == nullptr, std::isnan(value)) << name;
      if (!table) continue;
      EXPECT_NEAR(table->values.at(0, 0), value, 1e-9) << name;
    }
    const std::string name(head_name(m));
    ++names[name];
    EXPECT_NE(lesson.steps.back().text.find("This head: " + head_text(m, Lang::en) + "."),
              std::string::npos)
        << lesson.steps.back().text;
  }
  EXPECT_GE(names.size(), 4u);
}

}  // namespace
}  // namespace jogak
