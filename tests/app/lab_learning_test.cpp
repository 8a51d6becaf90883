// Short trainings of the laboratory that must learn, or must fail, as the theory says. Margins are
// wide: a run of seconds decides them whatever the machine rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/train/study.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

// A decoder that puts digits and letters in order; knowing where the spaces are, and no more, gives
// a loss of about 1.8.
Recipe sorting(const std::vector<std::string>& settings) {
  Recipe recipe = parse_recipe(R"(schema = 1
[model]
family = "lab"
preset = "tiny"
wiring = "decoder"
decoder_layers = 1
d_model = 32
heads = 4
max_position_embeddings = 48
norm_place = "pre"
[tokenizer]
type = "char"
[data]
make = "sort"
count = 1000
valid_count = 40
[train]
steps = 300
batch = 16
lr = 1e-2
warmup = 10
eval_every = 300
checkpoint_every = 300
keep = 1
)",
                               "recipe");
  apply_settings(recipe, settings);
  return recipe;
}

Study studied(const Recipe& recipe, const std::string& vary, const TempDir& dir) {
  StudyOptions command;
  command.recipe = recipe;
  command.vary = {vary};
  command.out = dir / "study";
  return run_study(command);
}

TEST(LabLearning, WithoutTheMaskTheLossIsNearZeroAndTheTextUseless) {
  const TempDir dir;
  const Study study = studied(sorting({}), "model.causal_mask=true,false", dir);
  const double honest = study.variants[0].valid_loss().mean;
  EXPECT_LT(honest, 1.8);
  EXPECT_GT(honest, 0.5);
  EXPECT_LT(study.variants[1].valid_loss().mean, 0.2 * honest);
  ASSERT_TRUE(study.variants[1].sample);
  EXPECT_NE(study.variants[1].sample->written, study.variants[1].sample->wanted);
}

TEST(LabLearning, ADeepStackWithoutResidualsLearnsNothing) {
  const TempDir dir;
  const Study study = studied(sorting({"model.decoder_layers=6", "train.lr=5e-3"}),
                              "model.residual=true,false", dir);
  EXPECT_LT(study.variants[0].valid_loss().mean, 1.8);
  EXPECT_GT(study.variants[1].valid_loss().mean, study.variants[0].valid_loss().mean + 0.3);
}

// Every letter of the answer counts equally often; without positions and without a mask each place
// of a text sees the same, and nothing but frequencies can be learned.
TEST(LabLearning, WithoutPositionsAndWithoutTheMaskEveryPlaceSaysTheSame) {
  const TempDir dir;
  const Study study =
      studied(sorting({"model.causal_mask=false"}), "model.positions=sinusoidal,none", dir);
  EXPECT_LT(study.variants[0].valid_loss().mean, 0.3);
  EXPECT_GT(study.variants[1].valid_loss().mean, 1);
}

TEST(LabLearning, EveryKindOfPositionNormAndFeedForwardLearns) {
  for (const char* vary :
       {"model.positions=learned,rope,alibi,relative", "model.norm=rms,batch,none",
        "model.feed_forward=gelu,silu,swiglu", "model.norm_place=post"}) {
    const TempDir dir;
    for (const StudiedVariant& one : studied(sorting({}), vary, dir).variants)
      EXPECT_LT(one.valid_loss().mean, 1.9) << one.variant.name;
  }
}

// Trained on short lines, measured on longer ones; a learned table that ends refuses them.
TEST(LabLearning, AStudyMeasuresItsModelsOnceMore) {
  const TempDir dir;
  StudyOptions command;
  command.recipe = sorting({"train.steps=40", "train.eval_every=20"});
  command.vary = {"model.max_position_embeddings=36,96", "model.positions=learned,sinusoidal"};
  command.test = {"data.longest=16"};
  command.out = dir / "study";
  const Study study = run_study(command);
  ASSERT_EQ(study.variants.size(), 4u);
  EXPECT_TRUE(std::isnan(study.variants[0].tested.at(0)));  // 36 rows
  EXPECT_GT(study.variants[2].tested.at(0), study.variants[2].losses.at(0));
  EXPECT_TRUE(std::isfinite(study.variants[3].tested.at(0)));
}

// Killed after two of four runs: what is done stays, the rest is trained, and the numbers are those
// of a study that nobody killed.
TEST(LabLearning, AStudyGoesOnWhereItWasStopped) {
  const TempDir dir;
  const auto command = [&](const char* out) {
    StudyOptions c;
    c.recipe = sorting({"train.steps=30", "train.eval_every=10", "train.checkpoint_every=10"});
    c.vary = {"model.heads=1,4"};
    c.seeds = 2;
    c.out = dir / out;
    return c;
  };
  const Study whole = run_study(command("whole"));
  run_study(command("again"));
  for (const char* gone : {"study.json", "variant-2-seed-1.json", "variant-2-seed-2.json"})
    std::filesystem::remove(dir / (std::string("again/") + gone));
  StudyOptions rest = command("again");
  EXPECT_THROW(run_study(rest), UsageError);  // without --resume nothing is touched
  rest.resume = true;
  const Study resumed = run_study(rest);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(resumed.variants[i].losses, whole.variants[i].losses);
  EXPECT_TRUE(file_exists(dir / "again/study.json"));
  rest.recipe.train.schedule.rate = 0.5;
  EXPECT_THROW(run_study(rest), UsageError);  // another study's runs
}

}  // namespace
}  // namespace jogak
