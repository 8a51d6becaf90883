// Short trainings of the laboratory that must learn, or must fail, as the theory says. Margins are
// wide: a run of seconds decides them whatever the machine rounds.
#include <gtest/gtest.h>

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

const std::vector<std::string> kTwoLayers = {"model.decoder_layers=2", "train.steps=600"};

TEST(LabLearning, WithoutTheMaskTheLossIsNearZeroAndTheTextUseless) {
  const TempDir dir;
  const Study study = studied(sorting(kTwoLayers), "model.causal_mask=true,false", dir);
  const double honest = study.variants[0].valid_loss().mean;
  EXPECT_LT(honest, 1.2);
  EXPECT_GT(honest, 0.3);
  EXPECT_LT(study.variants[1].valid_loss().mean, 0.1);
  ASSERT_TRUE(study.variants[1].sample);
  EXPECT_NE(study.variants[1].sample->written, study.variants[1].sample->wanted);
}

// Each place sees the same set of letters, and cannot tell which of them stands behind it.
TEST(LabLearning, WithoutPositionsEvenAModelThatSeesEverythingCannotReadTheAnswerOff) {
  const TempDir dir;
  Recipe recipe = sorting(kTwoLayers);
  apply_settings(recipe, {"model.causal_mask=false"});
  const Study study = studied(recipe, "model.positions=none", dir);
  EXPECT_GT(study.variants[0].valid_loss().mean, 0.6);
}

TEST(LabLearning, ADeepStackWithoutResidualsLearnsNothing) {
  const TempDir dir;
  const Study study = studied(sorting({"model.decoder_layers=6", "train.lr=5e-3"}),
                              "model.residual=true,false", dir);
  EXPECT_LT(study.variants[0].valid_loss().mean, 1.6);
  EXPECT_GT(study.variants[1].valid_loss().mean, 2.3);  // the frequencies of the letters
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

TEST(LabLearning, EveryOtherChoiceOfADecoderLearns) {
  for (const char* vary :
       {"model.positions=index,none", "model.positions+model.position_join=learned+concatenate",
        "model.feed_forward=none", "model.kv_heads+model.d_v+model.qkv_bias=2+12+false",
        "model.one_qkv_matrix=true", "model.heads+model.scale_scores=1+true,8+false",
        "model.tie_word_embeddings+model.scale_embedding=false+false",
        "model.embedding_dropout+model.attention_dropout=0.05+0.05",
        "model.residual_dropout+model.feed_forward_dropout=0.05+0.05"}) {
    const TempDir dir;
    for (const StudiedVariant& one : studied(sorting({}), vary, dir).variants)
      EXPECT_LT(one.valid_loss().mean, 1.9) << one.variant.name;
  }
}

// Wide heads without the scale start with a softmax that is all or nothing.
TEST(LabLearning, WithoutTheScaleWideHeadsLearnLess) {
  const TempDir dir;
  Recipe recipe = sorting(kTwoLayers);
  apply_settings(recipe, {"model.d_k=64", "model.d_v=8"});
  const Study study = studied(recipe, "model.scale_scores=true,false", dir);
  EXPECT_LT(study.variants[0].valid_loss().mean, study.variants[1].valid_loss().mean - 0.1);
}

// The same lines as pairs: a memory of one vector does not hold them, looking back does.
TEST(LabLearning, PairsAreLearnedByEveryMixerAndAttentionHelpsRecurrence) {
  const std::vector<std::string> pairs = {"model.wiring=encoder-decoder",
                                          "model.encoder_layers=1",
                                          "data.kind=pairs",
                                          "data.longest=6",
                                          "train.batch=32",
                                          "train.lr=5e-3",
                                          "train.steps=400",
                                          "train.eval_every=400"};
  const TempDir first, second;
  const Study mixers = studied(sorting(pairs), "model.mixer=attention,gru,gru-attention", first);
  const double attention = mixers.variants[0].valid_loss().mean;
  const double recurrent = mixers.variants[1].valid_loss().mean;
  EXPECT_LT(attention, 0.7);
  EXPECT_GT(recurrent, 1.3 * attention);
  EXPECT_LT(mixers.variants[2].valid_loss().mean, 0.9 * recurrent);
  const Study sides = studied(
      sorting(pairs),
      "model.cross_attention_from+model.share_encoder_decoder_embeddings=same+true,last+false",
      second);
  for (const StudiedVariant& one : sides.variants)
    EXPECT_LT(one.valid_loss().mean, 0.9) << one.variant.name;
}

TEST(LabLearning, AnEncoderAloneLearnsToFillIn) {
  const TempDir dir;
  Recipe recipe = sorting({"model.wiring=encoder", "data.kind=masked-lines", "data.make=dates"});
  const Study study = studied(recipe, "train.steps=10,300", dir);
  EXPECT_LT(study.variants[1].valid_loss().mean, study.variants[0].valid_loss().mean - 0.5);
}

// Trained on short lines, measured on longer ones: rows of a learned table that were never trained
// disturb; ALiBi goes on as before.
TEST(LabLearning, AStudyMeasuresItsModelsOnceMore) {
  const TempDir dir;
  StudyOptions command;
  command.recipe = sorting({"model.max_position_embeddings=96"});
  command.vary = {"model.positions=learned,alibi"};
  command.test = {"data.longest=16"};
  command.out = dir / "study";
  const Study study = run_study(command);
  EXPECT_GT(study.variants[0].tested.at(0), study.variants[0].losses.at(0) + 0.5);
  EXPECT_LT(study.variants[1].tested.at(0), study.variants[1].losses.at(0) + 0.3);
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
