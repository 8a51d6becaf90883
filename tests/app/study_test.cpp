#include "app/train/study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/terminal.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::vector<std::string> names(const std::vector<StudyVariant>& variants) {
  std::vector<std::string> out;
  for (const StudyVariant& variant : variants) out.push_back(variant.name);
  return out;
}

TEST(Study, VariantsAreEveryCombination) {
  EXPECT_EQ(names(study_variants({"train.off=none,mask", "model.n_head=1,8"})),
            (std::vector<std::string>{
                "train.off=none, model.n_head=1", "train.off=none, model.n_head=8",
                "train.off=mask, model.n_head=1", "train.off=mask, model.n_head=8"}));
  const std::vector<StudyVariant> together =
      study_variants({"model.d_model+model.heads=64+4,32+2"});
  ASSERT_EQ(together.size(), 2u);
  EXPECT_EQ(together[1].settings, (std::vector<std::string>{"model.d_model=32", "model.heads=2"}));
  EXPECT_THROW(study_variants({"a.b+c.d=1+2,3"}), UsageError);
  EXPECT_EQ(names(study_variants({})),
            (std::vector<std::string>{"train.off=none", "train.off=mask"}));
  for (const char* wrong : {"train.off", "off=1", "train.off=", "=1"})
    EXPECT_THROW(study_variants({wrong}), UsageError) << wrong;
  EXPECT_THROW(study_variants({"a.b=1,2,3,4,5,6,7,8,9", "c.d=1,2,3,4,5,6,7,8"}), UsageError);
}

TEST(Study, SpreadIsOverTheSeeds) {
  const StudyNumbers n = spread_of({1, 3, 2});
  EXPECT_DOUBLE_EQ(n.mean, 2);
  EXPECT_EQ(n.low, 1);
  EXPECT_EQ(n.high, 3);
  EXPECT_TRUE(std::isnan(spread_of({1, NAN}).mean));
}

Recipe small_recipe() {
  return parse_recipe(R"(schema = 1
[model]
family = "gpt2"
preset = "tiny"
n_positions = 48
n_embd = 32
n_layer = 1
n_head = 2
embd_pdrop = 0.0
attn_pdrop = 0.0
resid_pdrop = 0.0
[tokenizer]
type = "char"
[data]
make = "sort"
count = 600
valid_count = 40
[train]
steps = 600
batch = 16
lr = 1e-2
warmup = 10
eval_every = 300
checkpoint_every = 600
keep = 1
)",
                      "recipe");
}

TEST(Study, WithoutTheMaskTheLossIsNearZeroAndTheModelUseless) {
  const TempDir dir;
  StudyOptions command;
  command.recipe = small_recipe();
  command.vary = {"train.off=none,mask"};
  command.out = dir / "study";
  const Study study = run_study(command);
  ASSERT_EQ(study.variants.size(), 2u);
  const StudiedVariant &whole = study.variants[0], &masked = study.variants[1];
  const double honest = whole.valid_loss().mean;
  EXPECT_GT(honest, 1);  // an honest task is not learned in so few steps
  EXPECT_EQ(honest, whole.whole_loss().mean);
  EXPECT_LT(masked.valid_loss().mean, 0.5 * honest);  // the answer can be read off
  EXPECT_GT(masked.whole_loss().mean, 2 * honest);    // and nothing was learned
  EXPECT_EQ(whole.curve.size(), 2u);
  EXPECT_TRUE(read_file(dir / "study/curves.svg").starts_with("<svg"));
  EXPECT_TRUE(read_file(dir / "study/curves.png").starts_with("\x89PNG"));
  EXPECT_NE(read_file(dir / "study/study.html").find("variant-2-seed-1.toml"), std::string::npos);
  EXPECT_EQ(parse_json(read_file(dir / "study/study.json"), "study").dump(), to_json(study).dump());
  for (const StudiedVariant& one : study.variants) {
    ASSERT_TRUE(one.sample);
    EXPECT_TRUE(one.sample->prompt.ends_with(" = "));
    EXPECT_FALSE(one.sample->wanted.empty());
  }
  EXPECT_NE(masked.sample->written, masked.sample->wanted);  // useless text
  const std::string text = study_text(study, Lang::en);
  EXPECT_NE(text.find(quoted(masked.sample->written)), std::string::npos) << text;
  EXPECT_NE(text.find("train.off=mask"), std::string::npos) << text;
}

TEST(StudyErrors, PartsThatCannotBeOffAreNamedBeforeTraining) {
  StudyOptions command;
  command.recipe = small_recipe();
  command.out = "nowhere";
  for (const char* wrong : {"train.off=none,maks", "train.off=head:0.1", "train.of=mask"}) {
    command.vary = {wrong};
    EXPECT_THROW(run_study(command), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace jogak
