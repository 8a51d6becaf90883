// What every family's record promises, and that none is without a golden.
#include "models/families.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/models/golden.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

TEST(Families, EachHasAGoldenAndPresets) {
  std::set<std::string> names, types;
  for (const Family& family : families()) {
    EXPECT_FALSE(test::goldens_of(family.model_type).empty())
        << family.model_type << ": tests/goldens has no directory with such a model";
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_TRUE(types.insert(family.model_type).second) << family.model_type;
    ASSERT_FALSE(family.presets.empty()) << family.name;
    EXPECT_STREQ(family.presets[0].name, "tiny");
  }
}

class FamilyGoldens : public testing::TestWithParam<std::string> {
 protected:
  const Json config = test::config_json(GetParam());
  const Family& family = family_of(config, "config.json");
};

// What we write says what they wrote. Falcon's multi_query and num_kv_heads are two ways to say one
// thing; null stands for a default, and words and objects may be other names of the same.
TEST_P(FamilyGoldens, TheConfigurationSurvivesBothWays) {
  const Json once = family.complete(config, "config.json");
  EXPECT_EQ(family.complete(once, "again").dump(), once.dump());
  for (const auto& [key, value] : once.members()) {
    const Json* const theirs = config.find(key);
    if (!theirs || value.dump() == theirs->dump()) continue;
    const bool two_ways = key == "multi_query" || key == "num_kv_heads";
    EXPECT_TRUE(two_ways || theirs->is_null() || !value.is_number())
        << key << ": " << value.dump() << ", they have " << theirs->dump();
    EXPECT_EQ(family.complete(Json(config).set(key, value), "changed"), once) << key;
  }
}

// Every tensor of the file with the same bytes, but for those that say nothing.
TEST_P(FamilyGoldens, WhatWasReadIsWrittenBack) {
  const ModelFiles files(test::golden_dir(GetParam()));
  const Model model =
      family.build(config, "config.json", ParamStore::from_files(files, family.names));
  std::set<std::string> written;
  for (const Param& p : model.store->all())
    for (const auto& [tensor, value] : model.store->in_file_layout(p, p.value)) {
      const Tensor wanted = cast(files.get(tensor), value.dtype());  // bf16 is held in f32
      ASSERT_EQ(text_of(value.shape()), text_of(wanted.shape())) << tensor;
      EXPECT_EQ(0, std::memcmp(value.raw(), wanted.raw(), wanted.bytes())) << tensor;
      written.insert(tensor);
    }
  const std::string& prefix = family.names.prefix;
  for (const std::string& tensor : files.names())
    if (!written.contains(tensor)) {
      const bool bare = !tensor.starts_with(prefix);
      EXPECT_TRUE(family.names.is_ignored(bare ? tensor : tensor.substr(prefix.size()))) << tensor;
    }
}

INSTANTIATE_TEST_SUITE_P(All, FamilyGoldens, testing::ValuesIn(test::all_goldens()),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(FamilyErrors, AnUnknownOneIsToldWithTheNearest) {
  EXPECT_THROW(family_named("gpt3"), UsageError);
  EXPECT_THROW(family_of(parse_json(R"({"model_type": "gpt9"})", "c"), "c"), FormatError);
}

// transformers looks for the key beside the kinds, and so passes it over.
TEST(FamilyErrors, ARampBetweenPairsIsRefusedWhereEachKindOfLayersRotatesItsOwnWay) {
  for (const char* name : {"gemma3-a", "modernbert-a"}) {
    Json config = test::config_json(name);
    const Family& family = family_of(config, "c");
    for (const char* truncate : {"true", "false"}) {
      const std::string yarn =
          text_of(R"({"rope_type": "yarn", "factor": 2.0, "truncate": )", truncate, "}");
      config.set("rope_parameters", parse_json(text_of(R"({"full_attention": )", yarn, "}"), "c"));
      std::string error;
      try {
        family.complete(config, "c");
      } catch (const FormatError& refused) {
        error = refused.what();
      }
      EXPECT_EQ(error.find("\"truncate\": found false") != std::string::npos, truncate[0] == 'f')
          << name << ": " << error;
    }
  }
}

// It lays the object of older files over {"rope_type": "default"}, where "type" has no effect.
TEST(FamilyErrors, TheOldNameOfAKindOfRotationIsRefusedWhereTransformersPassesItOver) {
  for (const char* name : {"gemma3-a", "modernbert-a"}) {
    Json config = test::config_json(name);
    const Family& family = family_of(config, "c");
    config.set("rope_parameters", Json());
    config.set("rope_scaling", parse_json(R"({"rope_type": "linear", "factor": 2.0})", "c"));
    EXPECT_NO_THROW(family.complete(config, "c")) << name;
    config.set("rope_scaling", parse_json(R"({"type": "linear", "factor": 2.0})", "c"));
    EXPECT_THROW(family.complete(config, "c"), FormatError) << name;
    config.set("rope_scaling", parse_json(R"({"type": "default"})", "c"));
    EXPECT_NO_THROW(family.complete(config, "c")) << name;
  }
}

TEST(Families, ModernBertsWindowMayBeToldByItsHalf) {
  const Json config = test::config_json("modernbert-a");
  const Family& family = family_of(config, "c");
  const Json told = family.complete(Json(config).set("sliding_window", 3), "c");
  EXPECT_EQ(told.find("local_attention")->integer(), 6);
}

}  // namespace
}  // namespace jogak
