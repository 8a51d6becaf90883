// Falcon against goldens of PyTorch and transformers (tests/goldens/make_falcon.py).
#include "models/falcon.h"

#include <gtest/gtest.h>

#include "tests/models/decoder.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Golden = test::DecoderGolden<Falcon, FalconConfig, read_falcon_config>;

class FalconGoldens : public testing::TestWithParam<const char*> {
 protected:
  Golden golden{GetParam(), kFalconNames};
};

TEST_P(FalconGoldens, LogitsLossGradientsAndWhatHappensInside) { golden.expect_forward(); }

TEST_P(FalconGoldens, PaddingAtTheLeftAndInside) { golden.expect_padded(); }

TEST_P(FalconGoldens, TheConfigurationIsWrittenAsItWasRead) {
  const Json written = write_falcon_config(golden.model.config);
  EXPECT_EQ(write_falcon_config(read_falcon_config(written, "again")), written);
}

TEST_P(FalconGoldens, WhatWasReadIsWrittenBack) { golden.expect_written_back(); }

// Rotary positions and ALiBi, every block, every number of key heads.
TEST_P(FalconGoldens, TheCacheGivesTheBitsOfTheWholePass) {
  golden.expect_same_bits_from_the_cache();
}

INSTANTIATE_TEST_SUITE_P(All, FalconGoldens,
                         testing::Values("falcon-a", "falcon-b", "falcon-c", "falcon-d", "falcon-e",
                                         "falcon-f", "falcon-g", "falcon-h"));

FalconConfig small(bool alibi) {
  return {.vocab = 50,
          .context = 200,
          .width = 48,
          .layers = 2,
          .heads = 6,
          .kv_heads = 2,
          .block = FalconConfig::Block::parallel_two_norms,
          .grouped = true,
          .alibi = alibi,
          .bias = true,
          .init = 0.3};
}

TEST(Falcon, TheCacheGivesTheSameBitsAcrossPages) {
  std::vector<int64_t> ids;
  for (uint64_t i = 0; i < 70; ++i) ids.push_back(static_cast<int64_t>(Rng(i).below(50)));
  for (const bool alibi : {false, true}) {
    ParamStore store = ParamStore::fresh(5);
    test::expect_same_bits_from_the_cache(Falcon(Params(store), small(alibi)), ids, "fresh");
  }
}

TEST(Falcon, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  for (const bool alibi : {false, true}) {
    FalconConfig config = small(alibi);
    config.hidden_drop = config.attn_drop = 0.1;
    test::expect_untouched_by_the_host<Falcon>(config);
  }
}

// For each key head its query heads, itself, its value head.
TEST(Falcon, HeadsOfTheFusedProjectionAreFound) {
  const auto order = [](int64_t heads, int64_t kv) {
    return falcon_heads({.width = 8 * heads, .heads = heads, .kv_heads = kv}).order;
  };
  EXPECT_EQ(order(4, 1), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order(2, 2), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(order(4, 2), (std::vector<int64_t>{0, 1, 4, 5, 2, 6, 3, 7}));
}

std::string refused(const std::string& config) {
  return error_of<FormatError>([&] { read_falcon_config(parse_json(config, "config.json"), "c"); });
}

TEST(FalconErrors, AConfigurationThatCannotBeIsRefusedWithItsPlace) {
  EXPECT_EQ(refused(R"({"hidden_size": 30, "num_attention_heads": 4})"),
            "c: byte 43: \"num_attention_heads\": found 4, wanted a divisor of hidden_size 30");
  EXPECT_EQ(refused(R"({"multi_query": false, "num_kv_heads": 5})"),
            "c: byte 39: \"num_kv_heads\": found 5, wanted 71, as many as query heads: the old "
            "decoder has no groups");
  EXPECT_EQ(
      refused(R"({"new_decoder_architecture": true, "parallel_attn": false})"),
      "c: byte 52: \"parallel_attn\": found false, wanted true with new_decoder_architecture");
  EXPECT_EQ(refused(R"({"num_ln_in_parallel_attn": 2})"),
            "c: byte 28: \"num_ln_in_parallel_attn\": found 2, wanted 1 without "
            "new_decoder_architecture");
  EXPECT_EQ(refused(R"({"hidden_size": 27, "num_attention_heads": 3})"),
            "c: byte 43: \"num_attention_heads\": found 3, wanted heads of an even width: their "
            "elements turn in pairs");
}

}  // namespace
}  // namespace jogak
