// GPT-2 against goldens that PyTorch and transformers wrote (tests/goldens/make.py).
#include "models/gpt2.h"

#include <gtest/gtest.h>

#include "tests/models/decoder.h"

namespace jogak {
namespace {

struct Golden : test::DecoderGolden<Gpt2, Gpt2Config, read_gpt2_config> {
  explicit Golden(const std::string& which) : DecoderGolden(which, kGpt2Names) {}
};

class Gpt2Goldens : public testing::TestWithParam<const char*> {};

TEST_P(Gpt2Goldens, LogitsLossGradientsAndWhatHappensInside) {
  Golden(GetParam()).expect_forward();
}

INSTANTIATE_TEST_SUITE_P(All, Gpt2Goldens,
                         testing::Values("gpt2-a", "gpt2-b", "gpt2-c", "gpt2-d", "gpt2-e",
                                         "gpt2-f"));

TEST(Gpt2, WhatWasReadIsWrittenBackByteForByte) {
  Golden g("gpt2-a");
  const std::string path = testing::TempDir() + "/gpt2-a-again.safetensors";
  save_safetensors(path, to_file(g.store), {{"format", "pt"}});
  EXPECT_EQ(read_file(path), read_file(test::golden_dir("gpt2-a") + "/model.safetensors"));
}

TEST(Gpt2, ALongerInputThanThePositionsIsRefused) {
  Golden g("gpt2-e");
  jogak::Run run;
  EXPECT_THROW(g.model(zeros({1, 20}, DType::i64), run), ShapeError);
}

TEST(Gpt2, AStopRequestIsSeenAtALayer) {
  Golden g("gpt2-a");
  const std::atomic<bool> stop{true};
  jogak::Run run;
  run.stop = &stop;
  EXPECT_THROW(g.model(zeros({1, 3}, DType::i64), run), Stopped);
}

TEST(Gpt2, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::expect_untouched_by_the_host<Gpt2>(
      Gpt2Config{.vocab = 31, .context = 12, .width = 16, .layers = 2, .heads = 4, .inner = 64});
}

// With a cache, in one pass or token by token, beside others or alone: the same bits.
TEST(Gpt2, TheCacheGivesTheBitsOfTheWholePass) {
  Golden("gpt2-a").expect_same_bits_from_the_cache();
}

}  // namespace
}  // namespace jogak
