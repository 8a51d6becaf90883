// LLaMA against goldens of PyTorch and transformers (tests/goldens/make_llama.py).
#include "models/llama.h"

#include <gtest/gtest.h>

#include "tests/models/decoder.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Golden = test::DecoderGolden<Llama, LlamaConfig, read_llama_config>;

class LlamaGoldens : public testing::TestWithParam<const char*> {
 protected:
  Golden golden{GetParam(), kLlamaNames};
};

TEST_P(LlamaGoldens, LogitsLossGradientsAndWhatHappensInside) { golden.expect_forward(); }

TEST_P(LlamaGoldens, PaddingAtTheLeftAndInside) { golden.expect_padded(); }

TEST_P(LlamaGoldens, TheFrequenciesAreTransformers) {
  const RotaryPositions& rotary = golden.model.rotary;
  const int64_t T = golden.golden.get("input_ids").dim(1);
  test::expect_frequencies(rope_frequencies(rotary.config, rotary.width, T),
                           golden.golden.get("rope.frequencies"));
  EXPECT_FLOAT_EQ(rope_factor(rotary.config), item(golden.golden.get("rope.factor")));
}

TEST_P(LlamaGoldens, TheConfigurationIsWrittenAsItWasRead) {
  const Json written = write_llama_config(golden.model.config);
  EXPECT_EQ(write_llama_config(read_llama_config(written, "again")), written);
}

TEST_P(LlamaGoldens, WhatWasReadIsWrittenBack) { golden.expect_written_back(); }

INSTANTIATE_TEST_SUITE_P(All, LlamaGoldens,
                         testing::Values("llama-a", "llama-b", "llama-c", "llama-d", "llama-e",
                                         "llama-f", "llama-g", "llama-h"));

TEST(LlamaBf16, WeightsStayInTheFileAndGiveTransformersNumbers) {
  Golden golden("llama-i", kLlamaNames, WeightUse::as_stored);
  golden.expect_forward(false);
  int64_t borrowed = 0;
  for (const Param& p : golden.store.all()) {
    EXPECT_EQ(p.value.dtype(), p.value.rank() == 2 ? DType::bf16 : DType::f32) << p.name;
    borrowed += p.value.storage()->borrowed();
  }
  EXPECT_EQ(borrowed, 2 + 3 * 2);  // embedding, head; o_proj and down_proj of three layers
  golden.expect_same_bits_from_the_cache();
}

TEST(LlamaBf16, WidenedTheyTrain) { Golden("llama-i", kLlamaNames).expect_forward(); }

// 8 bits of weights are off by up to 2^-9 of each, so logits move by about a percent.
TEST(LlamaBf16, WeightsOfMoreBitsAreRoundedOnce) {
  const NoGrad quiet;
  Golden rounded("llama-a", kLlamaNames, WeightUse::bf16), whole("llama-a", kLlamaNames);
  for (const Param& p : rounded.store.all())
    if (p.value.rank() == 2) {
      const Tensor wanted = cast(whole.store.find(p.name)->value, DType::bf16);
      EXPECT_EQ(0, std::memcmp(p.value.raw(), wanted.raw(), wanted.bytes())) << p.name;
    }
  jogak::Run run;
  const Tensor logits = rounded.model(rounded.golden.get("input_ids"), run);
  const double off = test::relative_distance(logits, rounded.golden.get("logits"));
  EXPECT_GT(off, 1e-5);
  EXPECT_LT(off, 0.05);
}

TEST(Llama, TheCacheGivesTheBitsOfTheWholePass) {
  for (const char* name : {"llama-a", "llama-b", "llama-d", "llama-e", "llama-f"})
    Golden(name, kLlamaNames).expect_same_bits_from_the_cache();
}

TEST(Llama, TheCacheGivesTheSameBitsAcrossPages) {
  ParamStore store = ParamStore::fresh(5);
  const Llama model(Params(store), {.vocab = 50,
                                    .context = 200,
                                    .width = 48,
                                    .inner = 64,
                                    .layers = 2,
                                    .heads = 6,
                                    .kv_heads = 2,
                                    .head = 10,
                                    .init = 0.3});
  std::vector<int64_t> ids;
  for (uint64_t i = 0; i < 70; ++i) ids.push_back(static_cast<int64_t>(Rng(i).below(50)));
  test::expect_same_bits_from_the_cache(model, ids, "fresh");
}

TEST(Llama, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::expect_untouched_by_the_host<Llama>(LlamaConfig{.vocab = 31,
                                                        .context = 12,
                                                        .width = 16,
                                                        .inner = 24,
                                                        .layers = 2,
                                                        .heads = 4,
                                                        .kv_heads = 2,
                                                        .head = 6,
                                                        .attn_drop = 0.1});
}

std::string refused(const std::string& config) {
  return error_of<FormatError>([&] { read_llama_config(parse_json(config, "config.json"), "c"); });
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
  EXPECT_EQ(refused(R"({"rope_theta": 1})"),
            "c: byte 15: \"rope_theta\": found 1, wanted a number above 1");
  EXPECT_EQ(refused(R"({"rms_norm_eps": 0})"),
            "c: byte 17: \"rms_norm_eps\": found 0, wanted a small positive number");
}

}  // namespace
}  // namespace jogak
