#include "app/train/study_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/train/study.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

constexpr ScalingLaw kLaw{1.2, 40, 0.5, 900, 0.6};

std::vector<LossPoint> points_of_law() {
  std::vector<LossPoint> out;
  for (const double n : {4e3, 8e3, 16e3, 32e3})
    for (const double d : {1e5, 2e5, 4e5, 8e5}) out.push_back({n, d, kLaw.at(n, d)});
  return out;
}

TEST(StudyFit, ForetellsFourTimesTheLargestWhereNoRunIsNamed) {
  const StudyFit fit = fitted(points_of_law(), std::nullopt);
  EXPECT_EQ(fit.ahead.parameters, 128e3);
  EXPECT_EQ(fit.ahead.tokens, 8e5);
  EXPECT_EQ(fit.ahead.times_larger, 4);
  EXPECT_NEAR(fit.ahead.loss, kLaw.at(128e3, 8e5), 1e-4);
  EXPECT_LE(fit.ahead.low, fit.ahead.loss);
  EXPECT_GE(fit.ahead.high, fit.ahead.loss);
  EXPECT_LT(fit.mean_error(), 1e-5);
}

TEST(StudyFit, IsToldInBothLanguagesDrawnAndWrittenAsJson) {
  StudyFit fit = fitted(points_of_law(), LossPoint{64e3, 8e5});
  fit.ahead.measured = fit.ahead.loss * 1.25;
  EXPECT_NEAR(fit.ahead.error(), -0.2, 1e-9);
  for (const Lang lang : {Lang::en, Lang::ko}) {
    const std::string text = fit_text(fit, lang), svg = fit_svg(fit, lang);
    EXPECT_NE(text.find("-20.0 %"), std::string::npos) << text;
    EXPECT_NE(text.find("64,000"), std::string::npos) << text;
    EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 40);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    size_t curves = 0;
    for (size_t at = svg.find("<polyline"); at != std::string::npos;
         at = svg.find("<polyline", at + 1))
      ++curves;
    EXPECT_EQ(curves, 4u);  // one for each amount of data
  }
  const Json json = to_json(fit);
  EXPECT_NEAR(json.find("a")->number(), 0.5, 1e-3);
  EXPECT_EQ(json.find("points")->items().size(), 16u);
  EXPECT_NEAR(json.find("prediction")->find("error")->number(), -0.2, 1e-9);
}

StudyOptions tiny_study(const TempDir& dir) {
  StudyOptions out;
  out.recipe = parse_recipe(R"(schema = 1
[model]
family = "lab"
preset = "tiny"
wiring = "decoder"
decoder_layers = 1
d_model = 8
heads = 2
max_position_embeddings = 48
norm_place = "pre"
[tokenizer]
type = "char"
[data]
make = "sort"
count = 400
valid_count = 30
[train]
steps = 40
batch = 8
lr = 1e-2
warmup = 5
eval_every = 20
checkpoint_every = 40
keep = 1
[study]
fit = true
vary = "model.d_model=8,12,16; train.steps=20,40,80"
predict = "model.d_model=36; train.steps=80"
)",
                            "recipe");
  out.out = dir / "study";
  return out;
}

// The sizes are those of the trained models; the prediction stands before the run that checks it.
TEST(StudyFit, ASmallStudyForetellsALargerModelAndChecksIt) {
  const TempDir dir;
  const Study study = run_study(tiny_study(dir));
  ASSERT_TRUE(study.fit);
  const StudyFit& fit = *study.fit;
  ASSERT_EQ(fit.points.size(), 9u);
  EXPECT_EQ(fit.points[0].loss, study.variants[0].losses[0]);
  EXPECT_NEAR(fit.points[2].tokens, 4 * fit.points[0].tokens, 0.2 * fit.points[2].tokens);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(fit.points[i].tokens, fit.points[i + 6].tokens);
  EXPECT_GT(fit.ahead.times_larger, 3.5);
  ASSERT_TRUE(fit.ahead.measured);
  EXPECT_NEAR(fit.ahead.loss, *fit.ahead.measured, 0.4 * *fit.ahead.measured);
  EXPECT_TRUE(file_exists(dir / "study/predicted/model.safetensors"));
  EXPECT_TRUE(read_file(dir / "study/fit.svg").starts_with("<svg"));
  EXPECT_TRUE(read_file(dir / "study/fit.png").starts_with("\x89PNG"));
  EXPECT_NE(study_text(study, Lang::en).find("foretold"), std::string::npos);
  StudyOptions again = tiny_study(dir);
  again.resume = true;  // everything is there
  EXPECT_EQ(run_study(again).fit->ahead.measured, fit.ahead.measured);
}

TEST(StudyFitErrors, TooFewSizesOrAmountsAreRefusedBeforeAnythingIsTrained) {
  const TempDir dir;
  StudyOptions few = tiny_study(dir);
  few.vary = {"model.d_model=8,12", "train.steps=20,40,80"};
  expect_error<UsageError>(
      [&] { run_study(few); },
      "--fit: found runs of 2 sizes and 3 amounts of data, wanted 3 or more of each; vary the "
      "model's widths or layers, and train.steps");
  EXPECT_FALSE(file_exists(dir / "study"));
}

}  // namespace
}  // namespace jogak
