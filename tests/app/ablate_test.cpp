// Parts switched off, against forward passes written out in PyTorch (tests/goldens/make_ablate.py),
// and values carried from one run into another.
#include "app/show/ablate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/measure/eval.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "look/switches.h"
#include "ops/slice.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"
#include "text/train/char.h"

namespace jogak {
namespace {

using test::golden_dir;

constexpr double kTolerance = 1e-4;  // of the largest element: the goldens are f64, this is f32
constexpr int64_t kStride = 5;       // of the tokens whose answers a golden keeps

Tensor answers(const Model& model, const SafetensorsFile& inputs, Probe* probe) {
  const NoGrad quiet;
  Run run;
  run.probe = probe;
  return forward(model, ForwardInputs(inputs), run).named.at(0).second;
}

Tensor kept(const Tensor& logits) {  // [B, T, V] -> every kStride-th token
  const int64_t T = (logits.dim(1) + kStride - 1) / kStride;
  const Strides& s = logits.strides();
  return logits.view(logits.shape().with(1, T), {s[0], s[1] * kStride, s[2]}, logits.offset());
}

// Goldens whose forward pass is written out.
std::vector<std::string> ablated() {
  std::vector<std::string> out;
  for (const std::string& name : test::all_goldens())
    if (file_exists(golden_dir("ablate/") + name + ".safetensors")) out.push_back(name);
  return out;
}

class Ablations : public testing::TestWithParam<std::string> {};

TEST_P(Ablations, AreTheForwardPassWithoutThePart) {
  const Model model = open_model(golden_dir(GetParam()));
  const SafetensorsFile inputs(golden_dir(GetParam()) + "/golden.safetensors");
  const SafetensorsFile golden(golden_dir("ablate/") + GetParam() + ".safetensors");
  ASSERT_GE(golden.size(), 14u);
  for (const std::string& off : golden.names()) {
    Ablation probe(parse_switches(off));
    const Tensor got = answers(model, inputs, &probe);
    probe.check_used();
    const bool tokens = got.rank() == 3 && inputs.has("logits");
    const double far = test::relative_distance(tokens ? kept(got) : got, golden.get(off));
    printf("  %-10s %-24s max|a-b|/max|b| = %.2e\n", GetParam().c_str(), off.c_str(), far);
    EXPECT_LE(far, kTolerance) << off;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ablations, testing::ValuesIn(ablated()),
                         [](const auto& one) { return test::test_name(one.param); });

class WatchedPasses : public testing::TestWithParam<std::string> {};

// A probe that looks and changes nothing, and no probe at all: the same bits.
TEST_P(WatchedPasses, HaveTheBitsOfUnwatchedOnes) {
  const Model model = open_model(golden_dir(GetParam()));
  const SafetensorsFile inputs(golden_dir(GetParam()) + "/golden.safetensors");
  Recorder looks({.attention = true, .statistics = true, .layers = true});
  EXPECT_EQ(to_host<float>(answers(model, inputs, nullptr)),
            to_host<float>(answers(model, inputs, &looks)));
  EXPECT_GT(looks.steps.size(), 15u);
}

INSTANTIATE_TEST_SUITE_P(All, WatchedPasses, testing::ValuesIn(test::all_goldens()),
                         [](const auto& one) { return test::test_name(one.param); });

struct TwoRuns {
  Model model = open_model(golden_dir("gpt2-a"));
  Tensor a = from_values(std::vector<int64_t>{5, 9, 2, 40, 7, 7}, {1, 6});
  Tensor b = from_values(std::vector<int64_t>{5, 9, 3, 41, 7, 8}, {1, 6});

  std::vector<float> run(const Tensor& ids, Probe* probe) const {
    const NoGrad quiet;
    Run run;
    run.probe = probe;
    return to_host<float>(model.causal.forward(ids, run));
  }
  std::vector<float> patched(const std::string& part, int64_t token = -1) const {
    Patch patch(parse_switches(part), token);
    run(b, &patch);
    patch.give();
    return run(a, &patch);
  }
};

TEST(Patching, AWholeLayerMakesTheRestOfTheRunTheOthers) {
  const TwoRuns two;
  EXPECT_EQ(two.patched("layer:0"), two.run(two.b, nullptr));
  EXPECT_EQ(two.patched("layer:1"), two.run(two.b, nullptr));
  EXPECT_NE(two.patched("ffn:0"), two.run(two.b, nullptr));
  EXPECT_NE(two.patched("ffn:0"), two.run(two.a, nullptr));
}

TEST(Patching, OneTokenChangesNoEarlierAnswer) {
  const TwoRuns two;
  const auto before = two.run(two.a, nullptr), after = two.patched("layer:0", 3);
  const auto at = static_cast<ptrdiff_t>(3 * two.model.vocab);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + at, after.begin()));
  EXPECT_NE(before, after);
  // Equal inputs up to there: the first tokens have the same values in both runs.
  EXPECT_EQ(two.patched("layer:0", 1), before);
}

TEST(Patching, AHeadIsAHead) {
  const TwoRuns two;
  std::vector<std::vector<float>> results;
  for (const char* part : {"head:0.0", "head:0.1", "head:0.2", "head:0.3", "head:0"})
    results.push_back(two.patched(part));
  for (size_t i = 0; i < results.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(results[i], results[j]) << i << " " << j;
}

// Without positions a shuffled text gives the same vectors, shuffled; with them it does not.
TEST(Ablation, WithoutPositionsOrderSaysNothing) {
  const Model model = open_model(golden_dir("bert-a"));
  const std::vector<int64_t> ids = {5, 9, 2, 40, 7}, order = {3, 0, 4, 1, 2};
  std::vector<int64_t> shuffled;
  for (const int64_t i : order) shuffled.push_back(ids[static_cast<size_t>(i)]);
  const auto furthest = [&](const std::string& off) {
    const NoGrad quiet;
    std::vector<std::vector<float>> rows;
    for (const auto& text : {ids, shuffled}) {
      Ablation probe(off.empty() ? std::vector<Switch>{} : parse_switches(off));
      jogak::Run run;
      run.probe = &probe;
      rows.push_back(
          to_host<float>(model.encoder.hidden({.values = from_values(text, {1, 5})}, run)));
    }
    const auto C = static_cast<size_t>(model.width);
    double out = 0;
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t c = 0; c < C; ++c)
        out = std::max(out, std::abs(double{rows[1][i * C + c]} -
                                     rows[0][static_cast<size_t>(order[i]) * C + c]));
    return out;
  };
  EXPECT_LT(furthest("positions"), 1e-5);
  EXPECT_GT(furthest(""), 0.1);
}

TEST(Ablate, ShowsLossAndAnswersBeforeAndAfter) {
  AblateCommand c{.directory = golden_dir("gpt2-a"), .off = "layer:0"};
  c.input.file = golden_dir("gpt2-a") + "/golden.safetensors";
  const Json json = to_json(ablate(c));
  const SafetensorsFile golden(c.input.file);
  EXPECT_NEAR(json.find("loss_before")->number(), item(golden.get("loss")), 1e-4);
  EXPECT_NE(json.find("loss_after")->number(), json.find("loss_before")->number());
  EXPECT_GT(json.find("divergence")->number(), 0.01);
  EXPECT_EQ(json.find("tables")->items().size(), 3u);
}

TEST(Ablate, EachHeadIsTheHeadSwitchedOff) {
  AblateCommand c{.directory = golden_dir("gpt2-a"), .each = "head"};
  c.input.file = golden_dir("gpt2-a") + "/golden.safetensors";
  const Inspection each = ablate(c);
  ASSERT_EQ(each.tables.at(0).rows.size(), 8u);  // 2 layers of 4
  const double first = each.plates.at(0).picture.values.at(1, 2);
  c.each = "", c.off = "head:1.2";
  const Json one = to_json(ablate(c));
  EXPECT_NEAR(first, one.find("loss_after")->number() - one.find("loss_before")->number(), 1e-6);
}

// Over a file: the loss that eval gives, with everything on and without a part.
TEST(Ablate, OverADataSetIsTheMeanOfItsLosses) {
  const TempDir dir;
  std::filesystem::copy(golden_dir("gpt2-a"), dir / "model");
  std::string letters;
  for (char c = 'a'; c <= 'z'; ++c) letters += c;
  const std::vector<std::string_view> texts = {letters};
  train_char(texts, {.special_tokens = {"<|endoftext|>"}}).save(dir / "model");
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>('a' + i * 7 % 26);
  write_file(dir / "text.txt", text);
  AblateCommand c{.directory = dir / "model", .data = dir / "text.txt", .off = "layer:0"};
  const Json found = to_json(ablate(c));
  EvalOptions eval;
  eval.directory = dir / "model", eval.data = dir / "text.txt";
  const double whole = std::get<TextEval>(evaluate(eval)).loss;
  EXPECT_DOUBLE_EQ(found.find("loss_before")->number(), whole);
  EXPECT_GT(std::abs(found.find("loss_after")->number() - whole), 1e-4);
  const Inspection shown = ablate(c);  // on the screen, too
  ASSERT_EQ(shown.tables.size(), 1u);
  EXPECT_DOUBLE_EQ(shown.tables[0].rows.at(0).at(1).number(), whole);
  c.off = "", c.each = "layer";
  const Inspection each = ablate(c);
  ASSERT_EQ(each.tables.at(0).rows.size(), 2u);
  EXPECT_NEAR(each.plates.at(0).picture.values.at(0, 0), found.find("loss_after")->number() - whole,
              1e-9);
  c.input.text = "abc";
  EXPECT_THROW(ablate(c), UsageError) << "one input or the file, not both";
}

TEST(AblateErrors, NameWhatWasWanted) {
  AblateCommand c{.directory = golden_dir("gpt2-a"), .off = "layer:9"};
  c.input.file = golden_dir("gpt2-a") + "/golden.safetensors";
  EXPECT_THROW(ablate(c), UsageError);  // two layers
  c.off = "head:0.4";
  EXPECT_THROW(ablate(c), UsageError);  // four heads
  c.off = "cross";
  EXPECT_THROW(ablate(c), UsageError);  // no source
  for (const char* wrong : {"", "heads:1", "head", "head:1.2.3", "layer:x", "layer:1.2", "ffn:-1",
                            "head:encoder1", "layer:0,", "positions:"})
    EXPECT_THROW(parse_switches(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace jogak
