#include "app/use/pooling.h"

#include <cmath>

#include "base/file.h"
#include "io/safetensors.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

// Three tokens of two numbers.
const std::vector<float> kRows = {1, -4, 3, 2, 2, 8};

TEST(Pooling, EveryKind) {
  const std::pair<Pool, std::vector<float>> cases[] = {
      {Pool::cls, {1, -4}},
      {Pool::last, {2, 8}},
      {Pool::mean, {2, 2}},
      {Pool::max, {3, 8}},
      {Pool::mean_sqrt,
       {static_cast<float>(6 / std::sqrt(3)), static_cast<float>(6 / std::sqrt(3))}},
      {Pool::weighted_mean, {13.f / 6, 4}},  // (1 + 6 + 6) / 6, (-4 + 4 + 24) / 6
  };
  for (const auto& [pool, wanted] : cases)
    EXPECT_EQ(pooled_vector(kRows, 2, std::vector{pool}), wanted) << static_cast<int>(pool);
  EXPECT_EQ(pooled_vector(kRows, 2, std::vector{Pool::cls, Pool::mean}),
            (std::vector<float>{1, -4, 2, 2}))
      << "side by side";
}

TEST(Pooling, LengthOneAndCosine) {
  std::vector<float> v = {3, 4}, zero = {0, 0};
  normalize(v);
  normalize(zero);
  EXPECT_EQ(v, (std::vector<float>{0.6f, 0.8f}));
  EXPECT_EQ(zero, (std::vector<float>{0, 0}));
  EXPECT_NEAR(cosine(v, std::vector<float>{8, -6}), 0, 1e-7);
  EXPECT_NEAR(cosine(v, std::vector<float>{30, 40}), 1, 1e-7);
  EXPECT_EQ(cosine(v, zero), 0);
}

class Modules : public testing::Test {
 protected:
  TempDir dir;
  void write(const std::string& name, const std::string& text) { write_file(dir / name, text); }
  std::string refused() {
    return error_of<FormatError>([&] { read_sentence_modules(dir / "."); });
  }
};

TEST_F(Modules, WhatTheDirectorySays) {
  const SentenceModules bare = read_sentence_modules(dir / ".");
  EXPECT_EQ(bare.pools, std::vector{Pool::mean});
  EXPECT_FALSE(bare.normalize);
  make_directories(dir / "0_T");
  make_directories(dir / "1_Pooling");
  write("modules.json", R"([
    {"idx": 0, "path": "0_T", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  write("0_T/sentence_bert_config.json", R"({"max_seq_length": 77, "do_lower_case": true})");
  write("1_Pooling/config.json",
        R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})");
  const SentenceModules all = read_sentence_modules(dir / ".");
  EXPECT_TRUE(all.model.ends_with("0_T")) << all.model;
  EXPECT_EQ(all.pools, std::vector{Pool::cls});
  EXPECT_TRUE(all.normalize && all.lowercase);
  EXPECT_EQ(all.longest, 77);
}

// As sentence-transformers writes it by now: words, one or several.
TEST_F(Modules, TheKindOfPoolingAsAWord) {
  make_directories(dir / "1_Pooling");
  write("modules.json",
        R"([{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
  const auto pools = [&](const char* mode) {
    write("1_Pooling/config.json",
          text_of(R"({"embedding_dimension": 2, "pooling_mode": )", mode, "}"));
    return read_sentence_modules(dir / ".").pools;
  };
  EXPECT_EQ(pools("\"cls\""), std::vector{Pool::cls});
  EXPECT_EQ(pools("\"lasttoken\""), std::vector{Pool::last});
  EXPECT_EQ(pools(R"(["weightedmean", "max"])"), (std::vector{Pool::max, Pool::weighted_mean}));
  write("1_Pooling/config.json", R"({"pooling_mode": "median"})");
  EXPECT_NE(refused().find("\"pooling_mode\": found \"median\", wanted one of cls, max, mean"),
            std::string::npos)
      << refused();
}

TEST_F(Modules, ALayerAfterThePooling) {
  make_directories(dir / "2_Dense");
  write("modules.json", R"([{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  write("2_Dense/config.json", R"({"in_features": 2, "out_features": 3, "bias": true,
    "activation_function": "torch.nn.modules.activation.Tanh"})");
  save_safetensors(dir / "2_Dense/model.safetensors",
                   {{"linear.weight", from_values(std::vector<float>{1, 0, 0, 2, -1, 1}, {3, 2})},
                    {"linear.bias", from_values(std::vector<float>{0.5f, 0, 1}, {3})}});
  const SentenceModules m = read_sentence_modules(dir / ".");
  ASSERT_EQ(m.dense.size(), 1u);
  const auto y = m.dense[0](std::vector<float>{0.25f, -1});
  EXPECT_NEAR(y[0], std::tanh(0.75), 1e-7);
  EXPECT_NEAR(y[1], std::tanh(-2.0), 1e-7);
  EXPECT_NEAR(y[2], std::tanh(-0.25), 1e-7);
  error_of<FormatError>([&] { m.dense[0](std::vector<float>{1, 2, 3}); });
  write("2_Dense/config.json", R"({"in_features": 3, "out_features": 3,
    "activation_function": "torch.nn.modules.linear.Identity"})");
  EXPECT_NE(refused().find("linear.weight has shape [3, 2], config.json wants [3, 3]"),
            std::string::npos)
      << refused();
}

TEST_F(Modules, WhatIsRefused) {
  write("modules.json", R"([{"path": "../x", "type": "a.Transformer"}])");
  EXPECT_NE(refused().find("wanted a path inside the directory"), std::string::npos) << refused();
  write("modules.json", R"([{"path": "2_CNN", "type": "sentence_transformers.models.CNN"}])");
  EXPECT_NE(refused().find("wanted a Transformer, Pooling or Dense module, then Normalize"),
            std::string::npos)
      << refused();
  write("modules.json", "{}");
  EXPECT_NE(refused().find("wanted an array of modules"), std::string::npos) << refused();
  write("modules.json", R"([{"path": "", "type": "x.Pooling"}])");
  write("config.json", R"({"pooling_mode_mean_tokens": false})");
  EXPECT_NE(refused().find("every pooling mode is off"), std::string::npos) << refused();
}

}  // namespace
}  // namespace jogak
