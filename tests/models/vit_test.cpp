// ViT against goldens that PyTorch and transformers wrote (tests/goldens/make_vit.py).
#include "models/images/vit.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "ops/slice.h"
#include "tests/models/golden.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::golden_dir;
using test::GoldenWatch;

struct ImageGolden : test::ModelGolden<Vit> {
  using ModelGolden::ModelGolden;
};

Tensor golden_loss(const ImageGolden& g, const Tensor& hidden) {
  const auto weighted = [&](const Tensor& x, const std::string& name) {
    expect_golden(x, g.golden.get(name), name);
    return sum(x * g.golden.get("weights." + name));
  };
  if (g.model.config.head == VitHead::none)
    return weighted(hidden, "last_hidden_state") +
           weighted(g.model.pooled(hidden), "pooler_output");
  const Tensor logits = g.model.logits(hidden);
  expect_golden(logits, g.golden.get("logits"), "logits");
  return label_loss(logits, g.golden.get("labels"), g.model.config.labels);
}

class VitGoldens : public testing::TestWithParam<const char*> {};

TEST_P(VitGoldens, LogitsLossGradientsAndWhatHappensInside) {
  ImageGolden g(GetParam());
  jogak::Run run;
  GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Tensor hidden = g.model.hidden(g.golden.get("pixel_values"), run);
  EXPECT_EQ(watch.seen, 2 * g.model.config.layers + 1);
  const Tensor loss = golden_loss(g, hidden);
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
}

INSTANTIATE_TEST_SUITE_P(All, VitGoldens,
                         testing::Values("vit-a", "vit-b", "vit-c", "vit-d", "vit-e"));

TEST(Vit, WhatWasReadIsWrittenBackByteForByte) {
  for (const char* name : {"vit-a", "vit-e"}) {
    ImageGolden g(name);
    const TempDir dir;
    const std::string path = dir / "again.safetensors";
    save_safetensors(path, to_file(g.store), {{"format", "pt"}});
    EXPECT_EQ(read_file(path), read_file(golden_dir(name) + "/model.safetensors")) << name;
  }
}

// transformers 5 has new names in memory and writes the old ones; both are read, old ones written.
TEST(Vit, NewNamesComeBackAsTheOldOnes) {
  ImageGolden g("vit-c");
  EXPECT_TRUE(g.files.has("vit.layers.1.mlp.fc2.weight"));
  const TempDir dir;
  save_safetensors(dir.path() + "/model.safetensors", to_file(g.store));
  const ModelFiles files(dir.path());
  EXPECT_TRUE(files.has("vit.encoder.layer.1.output.dense.weight"));
  EXPECT_TRUE(files.has("vit.encoder.layer.0.attention.attention.key.weight"));
  EXPECT_FALSE(files.has("vit.encoder.layer.0.attention.attention.key.bias"));
  ParamStore store = ParamStore::from_files(files, family_named("vit").names);
  const Vit again(Params(store), g.model.config);
  store.finish();
  jogak::Run run;
  const Tensor pixels = g.golden.get("pixel_values");
  EXPECT_EQ(to_host<float>(again.logits(again.hidden(pixels, run))),
            to_host<float>(g.model.logits(g.model.hidden(pixels, run))));
}

TEST(Vit, WithoutArchitecturesTheTensorsTellTheHead) {
  const auto head = [](const char* name) {
    return ImageGolden(name, test::config_json(name).set("architectures", Json()))
        .model.config.head;
  };
  EXPECT_EQ(head("vit-a"), VitHead::classes);
  EXPECT_EQ(head("vit-d"), VitHead::none);
}

TEST(Vit, AnImageBesideOthersGivesTheBitsOfTheImageAlone) {
  ImageGolden g("vit-a");
  const NoGrad quiet;
  jogak::Run run;
  const Tensor pixels = g.golden.get("pixel_values");
  const auto both = to_host<float>(g.model.logits(g.model.hidden(pixels, run)));
  auto values = to_host<float>(pixels);
  values.erase(values.begin(), values.begin() + static_cast<int64_t>(values.size()) / 2);
  const auto alone =
      to_host<float>(g.model.logits(g.model.hidden(from_values(values, {1, 3, 16, 16}), run)));
  EXPECT_EQ(alone, std::vector<float>(both.begin() + 3, both.end()));
}

// Rows and columns that do not fill a patch are not seen.
TEST(Vit, WhatIsLeftOfAnImageChangesNothing) {
  ImageGolden g("vit-a");
  const NoGrad quiet;
  jogak::Run run;
  const auto small = to_host<float>(g.golden.get("pixel_values"));
  std::vector<float> large;
  for (int64_t i = 0; i < 2 * 3 * 18 * 19; ++i) {
    const int64_t row = i / 19 % 18, col = i % 19, plane = i / (18 * 19);
    large.push_back(row < 16 && col < 16 ? small[static_cast<size_t>((plane * 16 + row) * 16 + col)]
                                         : 1000.0f);
  }
  EXPECT_EQ(to_host<float>(g.model.hidden(from_values(large, {2, 3, 18, 19}), run)),
            to_host<float>(g.model.hidden(from_values(small, {2, 3, 16, 16}), run)));
}

TEST(VitEncoder, LossesAreSummedOverWhatCounts) {
  const std::pair<const char*, double> counted[] = {{"vit-a", 2}, {"vit-c", 12}, {"vit-e", 2}};
  for (const auto& [name, count] : counted) {
    ImageGolden g(name);
    jogak::Run run;
    const EncoderModel model = encoder_of(std::shared_ptr<const Vit>(&g.model, [](const Vit*) {}));
    EXPECT_EQ(model.task, EncoderTask::classify);
    const Tensor predicted = model.predict({.values = g.golden.get("pixel_values")}, run);
    const Tensor loss =
        model.loss(predicted, g.golden.get("labels"), {.reduction = Reduction::sum});
    EXPECT_NEAR(item(loss) / count / item(g.golden.get("loss")), 1, 1e-5) << name;
  }
}

TEST(Vit, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::GuardedDevice device;
  const VitConfig config{.image = {8, 8},
                         .patch = {4, 4},
                         .channels = 2,
                         .width = 16,
                         .layers = 2,
                         .heads = 4,
                         .inner = 20,
                         .dropout = 0.1,
                         .attention_drop = 0.1,
                         .head = VitHead::classes};
  std::vector<std::vector<Tensor>> results;
  for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
    ParamStore store = ParamStore::fresh(3, DType::f32, *place);
    const Vit model(Params(store), config);
    const Tensor pixels = randn({3, 2, 9, 13}, Rng(1), DType::f32, *place);  // another size, too
    device.synchronize();
    const int64_t before = device.synchronizations();
    jogak::Run run;
    run.training = true;
    const Tensor loss = sum(model.logits(model.hidden(pixels, run)));
    results.push_back(gradients(loss, store.trained()));
    EXPECT_EQ(device.synchronizations(), before);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
}

TEST(Bicubic, TheSameGridIsItselfAndEvenTablesStayEven) {
  const auto same = to_host<float>(bicubic(3, 4, 3, 4));
  for (int64_t r = 0; r < 12; ++r)
    for (int64_t c = 0; c < 12; ++c)
      EXPECT_EQ(same[static_cast<size_t>(r * 12 + c)], r == c ? 1.0f : 0.0f);
  const auto other = to_host<float>(bicubic(3, 2, 7, 5));
  for (int64_t r = 0; r < 35; ++r) {
    double total = 0;
    for (int64_t c = 0; c < 6; ++c) total += double{other[static_cast<size_t>(r * 6 + c)]};
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(VitErrors, WhatDoesNotFitIsNamed) {
  ImageGolden g("vit-a");
  jogak::Run run;
  expect_error<ShapeError>(
      [&] {
        g.model.hidden(zeros({1, 1, 16, 16}), run);
      },
      "vit: images [1, 1, 16, 16], wanted [images, 3, height, width] of at least 4 x 4");
  expect_error<ShapeError>(
      [&] {
        g.model.hidden(zeros({1, 3, 3, 16}), run);
      },
      "vit: images [1, 3, 3, 16], wanted [images, 3, height, width] of at least 4 x 4");
  expect_error<UsageError>(
      [&] {
        g.model.pooled(zeros({1, 2, 24}));
      },
      "vit: this model has no pooler");
  const auto with = [](const char* key, Json value) {
    return error_of<FormatError>([&] {
      read_config<VitConfig>(test::config_json("vit-a").set(key, std::move(value)), "config.json");
    });
  };
  EXPECT_NE(with("image_size", Json::array({16, 0})).find("a side or [height, width]"),
            std::string::npos);
  EXPECT_NE(with("patch_size", 17).find("patches that fill image_size"), std::string::npos);
  EXPECT_NE(with("architectures", Json::array({"ViTForMaskedImageModeling"})).find("ViTModel"),
            std::string::npos);
  EXPECT_NE(with("head_dim", 5).find("hidden_size / num_attention_heads, 8"), std::string::npos);
}

// Where nobody looks on, the last layer computes only the tokens that a head reads: the same bits.
TEST(Vit, TheFirstTokensAloneAreThoseOfAll) {
  for (const char* name : {"vit-a", "deit-a", "dinov2-a"}) {
    VitConfig config{.image = {20, 16}, .patch = {4, 4}, .width = 32, .layers = 2, .heads = 4};
    config.inner = 48, config.pooler_width = 32, config.init = 0.3;
    config.style.distilled = std::string(name) == "deit-a";
    config.style.scaled = std::string(name) == "dinov2-a";
    ParamStore store = ParamStore::fresh(3);
    const Vit vit(Params(store), config);
    const Tensor pixels = randn({3, 3, 20, 16}, Rng(7));
    const NoGrad quiet;
    jogak::Run run;
    const int64_t wanted = config.first_tokens();
    const Tensor all = vit.hidden(pixels, run), first = vit.hidden(pixels, run, wanted);
    ASSERT_EQ(all.shape(), (Shape{3, wanted + 20, 32})) << name;
    ASSERT_EQ(first.shape(), (Shape{3, wanted, 32})) << name;
    EXPECT_EQ(to_host<float>(first), to_host<float>(dense(slice(all, 1, 0, wanted)))) << name;
  }
}

}  // namespace
}  // namespace jogak
