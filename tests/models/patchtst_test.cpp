// PatchTST against goldens of PyTorch and transformers (tests/goldens/make_patchtst.py).
#include "models/series/patchtst.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "nn/positions.h"
#include "ops/reduce.h"
#include "ops/regression.h"
#include "tests/models/golden.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::golden_dir;
using test::GoldenWatch;

struct SeriesGolden : test::ModelGolden<PatchTst> {
  using ModelGolden::ModelGolden;
  Tensor observed() const {
    return golden.has("past_observed_mask") ? cast(golden.get("past_observed_mask"), DType::boolean)
                                            : Tensor();
  }
  Tensor forecast(jogak::Run& run) const {
    return model(golden.get("past_values"), observed(), run);
  }
};

// transformers shows only the weights from patch to patch.
class SeriesWatch : public GoldenWatch {
 public:
  using GoldenWatch::GoldenWatch;
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    if (name != "channel_attentions") GoldenWatch::see(name, layer, value);
  }
};

class PatchTstGoldens : public testing::TestWithParam<const char*> {};

TEST_P(PatchTstGoldens, ForecastLossGradientsAndWhatHappensInside) {
  SeriesGolden g(GetParam());
  jogak::Run run;
  SeriesWatch watch(g.golden);
  run.probe = &watch;
  const Tensor forecast = g.forecast(run);
  EXPECT_EQ(watch.seen, 2 * g.model.config.layers + 1);
  expect_golden(forecast, g.golden.get("prediction_outputs"), "prediction_outputs");
  const ScaledSeries scaled =
      scale_series(g.golden.get("past_values"), g.observed(), g.model.config.scaling);
  expect_golden(scaled.loc, g.golden.get("loc"), "loc");
  expect_golden(scaled.scale, g.golden.get("scale"), "scale");
  const Tensor loss = mse(forecast, g.golden.get("future_values"));
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
}

INSTANTIATE_TEST_SUITE_P(All, PatchTstGoldens,
                         testing::Values("patchtst-a", "patchtst-b", "patchtst-c", "patchtst-d",
                                         "patchtst-e", "patchtst-f", "patchtst-g", "patchtst-h"));

class PatchTstTraining : public testing::TestWithParam<const char*> {};

TEST_P(PatchTstTraining, GradientsThroughTheBatchAndWhatBatchNormLearns) {
  SeriesGolden g(GetParam());
  jogak::Run run;
  run.training = true;
  const Tensor forecast = g.forecast(run);
  expect_golden(forecast, g.golden.get("train.prediction_outputs"), "prediction_outputs");
  const Tensor loss = mse(forecast, g.golden.get("future_values"));
  expect_golden(loss, g.golden.get("train.loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden,
                                "train.grads.");
  int learnt = 0;
  for (const Param& p : g.store.all()) {
    const std::string name = "train.running." + g.store.file_name(p.name);
    if (p.trained || !g.golden.has(name)) continue;
    expect_golden(p.value, g.golden.get(name), name);
    ++learnt;
  }
  EXPECT_EQ(learnt, 3 * g.model.config.layers * (g.model.config.channel_attention ? 3 : 2));
}

INSTANTIATE_TEST_SUITE_P(All, PatchTstTraining,
                         testing::Values("patchtst-a", "patchtst-b", "patchtst-e"));

TEST(PatchTst, WhatWasReadIsWrittenBackByteForByte) {
  for (const char* name : {"patchtst-a", "patchtst-c", "patchtst-d", "patchtst-h"}) {
    SeriesGolden g(name);
    const TempDir dir;
    const std::string path = dir / "again.safetensors";
    save_safetensors(path, to_file(g.store), {{"format", "pt"}});
    EXPECT_EQ(read_file(path), read_file(golden_dir(name) + "/model.safetensors")) << name;
  }
}

// A fresh model has the table that transformers makes and never trains it.
TEST(PatchTst, FreshPositionsAreThoseOfTheFile) {
  SeriesGolden g("patchtst-a");
  ParamStore store = ParamStore::fresh(1);
  const PatchTst fresh(Params(store), g.model.config);
  expect_golden(fresh.position_enc, g.model.position_enc, "position_enc");
  for (const Param& p : store.all())
    EXPECT_EQ(p.trained, p.name.find("position_enc") == std::string::npos &&
                             p.name.find("running") == std::string::npos &&
                             p.name.find("tracked") == std::string::npos)
        << p.name;
}

TEST(PatchTst, ThePublishedPatchesAre42Of336) {
  PatchTstConfig c{.context = 336, .patch = 16, .stride = 8, .pad_end = true};
  EXPECT_EQ(c.patches(), 42);
  c.pad_end = false;
  EXPECT_EQ(c.patches(), 41);
}

// Channels are independent: another series beside it changes no bit of a forecast.
TEST(PatchTst, ASeriesKnowsNothingOfTheOthers) {
  SeriesGolden g("patchtst-a");
  const NoGrad quiet;
  jogak::Run run;
  const Tensor past = g.golden.get("past_values");
  const auto before = to_host<float>(g.model(past, {}, run));
  auto values = to_host<float>(past);
  for (size_t i = 0; i < values.size(); i += 3) values[i] *= -7;  // the first of three
  const auto after = to_host<float>(g.model(from_values(values, past.shape()), {}, run));
  for (size_t i = 0; i < after.size(); ++i) {
    if (i % 3 == 0)
      EXPECT_NE(after[i], before[i]);
    else
      EXPECT_EQ(after[i], before[i]);
  }
}

TEST(PatchTstEncoder, TheLossIsSummedOverEveryNumber) {
  SeriesGolden g("patchtst-c");
  jogak::Run run;
  const EncoderModel model =
      encoder_of(std::shared_ptr<const PatchTst>(&g.model, [](const PatchTst*) {}));
  EXPECT_EQ(model.task, EncoderTask::forecast);
  const Tensor future = g.golden.get("future_values");
  const Tensor forecast =
      model.predict({.values = g.golden.get("past_values"), .mask = g.observed()}, run);
  const Tensor loss = model.loss(forecast, future, {.reduction = Reduction::sum});
  EXPECT_NEAR(item(loss) / static_cast<double>(future.count()) / item(g.golden.get("loss")), 1,
              1e-5);
}

TEST(PatchTst, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::GuardedDevice device;
  const PatchTstConfig config{.series = 2,
                              .context = 12,
                              .horizon = 3,
                              .patch = 4,
                              .stride = 2,
                              .pad_end = true,
                              .width = 16,
                              .layers = 2,
                              .heads = 4,
                              .inner = 20,
                              .attention_drop = 0.1,
                              .path_drop = 0.1,
                              .share_embedding = false,
                              .pooling = PatchTstConfig::Pooling::max};
  std::vector<std::vector<Tensor>> results;
  for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
    ParamStore store = ParamStore::fresh(3, DType::f32, *place);
    const PatchTst model(Params(store), config);
    const Tensor past = randn({3, 12, 2}, Rng(1), DType::f32, *place);
    device.synchronize();
    const int64_t before = device.synchronizations();
    jogak::Run run;
    run.training = true;
    const Tensor loss = sum(model(past, {}, run));
    results.push_back(gradients(loss, store.trained()));
    EXPECT_EQ(device.synchronizations(), before);
    for (const Param& p : store.all())
      if (!p.trained) results.back().push_back(p.value);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
}

TEST(PatchTstErrors, WhatIsNotReadIsNamed) {
  const auto with = [](const char* key, Json value) {
    return error_of<FormatError>([&] {
      read_config<PatchTstConfig>(test::config_json("patchtst-a").set(key, std::move(value)),
                                  "config.json");
    });
  };
  EXPECT_NE(with("loss", "nll").find("\"loss\": found \"nll\", wanted \"mse\""), std::string::npos);
  EXPECT_NE(with("loss", Json()).find("\"loss\": found null"), std::string::npos);
  EXPECT_NE(with("architectures", Json::array({"PatchTSTForRegression"}))
                .find("wanted PatchTSTForPrediction"),
            std::string::npos);
  EXPECT_NE(with("norm_type", "rms").find("wanted one of \"batchnorm\", \"layernorm\""),
            std::string::npos);
  EXPECT_NE(with("pooling_type", "min").find("wanted one of \"mean\", \"max\", null"),
            std::string::npos);
  EXPECT_NE(with("patch_length", 22).find("less than context_length 22"), std::string::npos);
  EXPECT_NE(with("padding_patch", "start").find("wanted \"end\" or null"), std::string::npos);
}

TEST(PatchTstErrors, AnotherWindowThanTheModelsIsRefused) {
  SeriesGolden g("patchtst-a");
  jogak::Run run;
  expect_error<ShapeError>(
      [&] {
        g.model(zeros({2, 21, 3}), {}, run);
      },
      "patchtst: windows [2, 21, 3], wanted [windows, 22, 3]");
}

}  // namespace
}  // namespace jogak
