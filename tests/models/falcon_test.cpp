// What is Falcon's own; decoder_test.cpp compares it with PyTorch.
#include "models/decoders/falcon.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/models/decoder.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// Where a golden's text ends within a page.
TEST(Falcon, LinesGiveTheSameBitsAcrossPages) {
  std::vector<int64_t> ids;
  for (uint64_t i = 0; i < 70; ++i) ids.push_back(static_cast<int64_t>(Rng(i).below(50)));
  const Model model = test::fresh_model("falcon", {{"vocab_size", 50},
                                                   {"alibi", true},
                                                   {"new_decoder_architecture", true},
                                                   {"num_kv_heads", 2},
                                                   {"initializer_range", 0.3}});
  test::expect_same_bits_from_the_cache(model, ids, "fresh");
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
  return error_of<FormatError>(
      [&] { read_config<FalconConfig>(parse_json(config, "config.json"), "c"); });
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
