#include "nn/rope.h"

#include <gtest/gtest.h>

#include "nn/cache.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

// Frequencies and factor for the heads, lengths and scalings people use (goldens/make_rope.py).
TEST(Rope, FrequenciesAreTransformers) {
  const std::string file = test::golden_dir("rope.json");
  const Json cases = read_json_file(file);
  EXPECT_GE(cases.items().size(), 15u);
  double worst = 0;
  for (const Json& json : cases.items()) {
    const Fields f(json, file), config = f.object("config");
    SCOPED_TRACE(config.json().dump());
    const RopeConfig rope = read_rope(config, config.integer("max_position_embeddings", {}));
    EXPECT_FLOAT_EQ(rope_factor(rope), f.number("factor"));
    const auto got = rope_frequencies(rope, f.integer("width", {}), f.integer("length", {}));
    const auto& wanted = f.list("frequencies");
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const double w = wanted[i].number();
      EXPECT_NEAR(got[i], w, 3e-7 * w) << "pair " << i;
      worst = std::max(worst, std::abs(got[i] - w) / w);
    }
    EXPECT_EQ(
        write_rope(read_rope(Fields(Json::object({{"rope_parameters", write_rope(rope)}}), file),
                             config.integer("max_position_embeddings", {}))),
        write_rope(rope));
  }
  printf("  frequencies differ by at most %.1e of their size\n", worst);
}

TEST(Rope, ADynamicTextTurnsByItsOwnLengthWhoeverRunsBeside) {
  const RotaryPositions rotary(
      {.kind = RopeKind::dynamic, .theta = 100, .factor = 4, .original = 8}, 6, cpu_device());
  KvCache cache({.layers = 1, .kv_heads = 1, .key_width = 6, .value_width = 6, .context = 32});
  const int a = cache.add(), b = cache.add();
  jogak::Run run;
  run.cache = &cache;
  CacheStep step = cache.begin({a, b}, {20, 3});
  run.cache_step = &step;
  const auto both = to_host<float>(rotary.table(zeros({1, 23}, DType::i64), run));
  jogak::Run alone;
  const auto first = to_host<float>(rotary.table(zeros({1, 20}, DType::i64), alone));
  const auto second = to_host<float>(rotary.table(zeros({1, 3}, DType::i64), alone));
  EXPECT_EQ(std::vector(both.begin(), both.begin() + 120), first);
  EXPECT_EQ(std::vector(both.begin() + 120, both.end()), second);
  EXPECT_NE(std::vector(first.begin() + 6, first.begin() + 12),
            std::vector(second.begin() + 6, second.begin() + 12));
}

TEST(Rope, ADynamicModelGoesOnBeyondItsPositions) {
  EXPECT_EQ((RopeConfig{.kind = RopeKind::dynamic, .factor = 2.5}.context(100)), 250);
  EXPECT_EQ((RopeConfig{.kind = RopeKind::dynamic, .factor = 1e300}.context(100)), 1 << 24);
  EXPECT_EQ((RopeConfig{.kind = RopeKind::linear, .factor = 2.5}.context(100)), 100);
}

}  // namespace
}  // namespace jogak
