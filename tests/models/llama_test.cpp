// What is LLaMA's own; decoder_test.cpp compares it with PyTorch.
#include "models/decoders/llama.h"

#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "tests/models/decoder.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(LlamaBf16, WeightsStayInTheFileAndGiveTransformersNumbers) {
  const test::DecoderGolden golden("llama-i", WeightUse::as_stored);
  golden.expect_forward(false);
  int64_t borrowed = 0;
  for (const Param& p : golden.store().all()) {
    EXPECT_EQ(p.value.dtype(), p.value.rank() == 2 ? DType::bf16 : DType::f32) << p.name;
    borrowed += p.value.storage()->borrowed();
  }
  EXPECT_EQ(borrowed, 2 + 3 * 2);  // embedding, head; o_proj and down_proj of three layers
  golden.expect_same_bits_from_the_cache();
}

// 8 bits of weights are off by up to 2^-9 of each, so logits move by about a percent.
TEST(LlamaBf16, WeightsOfMoreBitsAreRoundedOnce) {
  const NoGrad quiet;
  const test::DecoderGolden rounded("llama-a", WeightUse::bf16), whole("llama-a");
  for (const Param& p : rounded.store().all())
    if (p.value.rank() == 2) {
      const Tensor wanted = cast(whole.store().find(p.name)->value, DType::bf16);
      EXPECT_EQ(0, std::memcmp(p.value.raw(), wanted.raw(), wanted.bytes())) << p.name;
    }
  jogak::Run run;
  const Tensor logits = rounded.logits(rounded.golden.get("input_ids"), run);
  const double off = test::relative_distance(logits, rounded.golden.get("logits"));
  EXPECT_GT(off, 1e-5);
  EXPECT_LT(off, 0.05);
}

std::string refused(const std::string& config) {
  return error_of<FormatError>(
      [&] { read_config<LlamaConfig>(parse_json(config, "config.json"), "c"); });
}

TEST(LlamaErrors, AConfigurationThatCannotBeIsRefusedWithItsPlace) {
  EXPECT_EQ(refused(R"({"hidden_size": 30, "num_attention_heads": 4})"),
            "c: byte 43: \"num_attention_heads\": found 4, wanted a divisor of hidden_size 30");
  EXPECT_EQ(
      refused(R"({"num_key_value_heads": 5})"),
      "c: byte 24: \"num_key_value_heads\": found 5, wanted a divisor of num_attention_heads 32");
  EXPECT_EQ(
      refused(R"({"head_dim": 7})"),
      "c: byte 13: \"head_dim\": found 7, wanted an even number: elements of a head turn in pairs");
  EXPECT_EQ(
      refused(R"({"rope_scaling": {"type": "longrope"}})"),
      "c: byte 26: \"type\": found \"longrope\", wanted default, linear, dynamic, yarn or llama3");
  EXPECT_EQ(refused(R"({"rope_parameters": {"rope_type": "linear", "factor": 0}})"),
            "c: byte 54: \"factor\": found 0, wanted a positive number");
  EXPECT_EQ(refused(R"({"rope_parameters": {"rope_type": "yarn"}})"),
            "c: byte 20: key \"factor\" is missing");
  EXPECT_EQ(refused(R"({"rope_theta": 1})"),
            "c: byte 15: \"rope_theta\": found 1, wanted a number above 1");
  EXPECT_EQ(refused(R"({"rms_norm_eps": 0})"),
            "c: byte 17: \"rms_norm_eps\": found 0, wanted a small positive number");
}

}  // namespace
}  // namespace jogak
