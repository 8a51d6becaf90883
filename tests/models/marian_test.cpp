// What is Marian's alone; seq2seq_test.cpp has what every encoder-decoder promises.
#include "models/seq2seq/marian.h"

#include <gtest/gtest.h>

#include "io/model_files.h"
#include "ops/layer_norm.h"
#include "ops/mul.h"
#include "tests/models/golden.h"

namespace jogak {
namespace {

using test::golden_dir;

using Golden = test::ModelGolden<Marian>;

TEST(Marian, WhatWasReadIsWrittenBackByteForByte) {
  for (const char* name : {"marian-a", "marian-b"}) {
    Golden g(name);
    const std::string path = testing::TempDir() + "/marian-again.safetensors";
    save_safetensors(path, to_file(g.store), {{"format", "pt"}});
    EXPECT_EQ(read_file(path), read_file(golden_dir(name) + "/model.safetensors")) << name;
  }
}

// No key of a configuration says it; in the goldens, whose rows are wide apart, it is too small to
// see.
TEST(Marian, NearlyEqualFeaturesAreNormalisedByTheEpsOfTransformers) {
  const Golden g("marian-a");
  const MarianEncoderLayer& e = g.model.encoder[0];
  const MarianDecoderLayer& d = g.model.decoder[0];
  const Tensor x = randn({3, g.model.config.width}, Rng(4)) * 1e-3;
  for (const LayerNorm* norm :
       {&e.self_attn_layer_norm, &e.final_layer_norm, &d.self_attn_layer_norm,
        &d.encoder_attn_layer_norm, &d.final_layer_norm})
    EXPECT_EQ(to_host<float>((*norm)(x)),
              to_host<float>(layer_norm(x, norm->weight, norm->bias, 1e-5)));
}

TEST(Marian, WrongSettingsAreNamed) {
  const auto read = [](const char* text) {
    return read_config<MarianConfig>(parse_json(text, "config.json"), "config.json");
  };
  EXPECT_THROW(read(R"({"d_model": 10, "encoder_attention_heads": 3})"), FormatError);
  EXPECT_THROW(read(R"({"vocab_size": 10, "decoder_vocab_size": 9})"), FormatError);
  EXPECT_THROW(read(R"({"vocab_size": 10})"), FormatError);  // pad_token_id 58100 is no token
  EXPECT_EQ(read(R"({"eos_token_id": [5, 1]})").end, 5) << "of several the first";
  EXPECT_THROW(read(R"({"eos_token_id": []})"), FormatError);
}

}  // namespace
}  // namespace jogak
