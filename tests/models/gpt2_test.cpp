// What is GPT-2's own; decoder_test.cpp compares it with PyTorch.
#include "tests/models/decoder.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(Gpt2, WhatWasReadIsWrittenBackByteForByte) {
  const test::DecoderGolden g("gpt2-a");
  const TempDir dir;
  const std::string path = dir / "again.safetensors";
  save_safetensors(path, to_file(g.store()), {{"format", "pt"}});
  EXPECT_EQ(read_file(path), read_file(test::golden_dir("gpt2-a") + "/model.safetensors"));
}

TEST(Gpt2, ALongerInputThanThePositionsIsRefused) {
  const test::DecoderGolden g("gpt2-e");
  jogak::Run run;
  EXPECT_THROW(g.logits(zeros({1, 20}, DType::i64), run), ShapeError);
}

}  // namespace
}  // namespace jogak
