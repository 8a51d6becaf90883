// Learning from images with captions: tables of files, generated ones, and what cannot be learnt.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/data/captions.h"
#include "app/data/shape_files.h"
#include "app/measure/eval.h"
#include "app/page/trying.h"
#include "app/show/inspect.h"
#include "app/train/run_inputs.h"
#include "app/train/train.h"
#include "app/use/encoder.h"
#include "base/file.h"
#include "data/make/shapes.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::write_plain;

constexpr char kClip[] =
    "[model]\nfamily = \"clip\"\npreset = \"tiny\"\nprojection_dim = 8\n"
    "text_config = {hidden_size = 16, num_hidden_layers = 1}\n"
    "vision_config = {num_hidden_layers = 1}\n";

TrainRequest command(const std::string& model, const std::string& data, const std::string& out,
                     const std::string& train = "batch = 4\n") {
  TrainRequest c;
  c.recipe = parse_recipe(
      text_of(model, "[data]\n", data, "[train]\nsteps = 3\nwarmup = 1\nseed = 7\n", train),
      "test.toml");
  c.out = out, c.quiet = true;
  return c;
}

class CaptionJob : public testing::Test {
 protected:
  void SetUp() override {
    write_shape_folders({dir / "png", 12, 1, false});
    std::string table = "file,said,id\n";
    for (int i = 0; i < 12; ++i)
      for (const char* words : {"a picture of a ", "one "}) {  // an image has two captions
        const std::string& shape = shape_names()[static_cast<size_t>(i % 3)];
        table +=
            text_of("png/", shape, "/0000", i / 10, i % 10, ".png,", words, shape, ",", i, "\n");
      }
    write_plain(dir / "table.csv", table);
  }
  std::string files() const {
    return text_of("kind = \"captions\"\ntrain = \"", dir / "table.csv",
                   "\"\nimage_column = \"file\"\ntext_column = \"said\"\nvalid_share = 0.3\n");
  }
  const TempDir dir;
};

TEST_F(CaptionJob, ReadsATableOfFilesFromItsFolderOn) {
  run_training(command(kClip, files(), dir / "run"));
  const Model model = open_model(dir / "run");
  EXPECT_TRUE(model.matches());
  EXPECT_EQ(model.config.find("projection_dim")->integer(), 8);
  EXPECT_EQ(model.config.find("text_config")->find("hidden_size")->integer(), 16);
  EXPECT_EQ(model.config.find("text_config")->find("num_attention_heads")->integer(), 2)
      << "what is not set is the preset's";
  const Tokenizer tokenizer = Tokenizer::load(dir / "run");
  EXPECT_EQ(model.match.vocab, tokenizer.vocab_size());
  EXPECT_EQ(model.config.find("text_config")->find("eos_token_id")->integer(),
            tokenizer.encode_ids("a").back());
  EXPECT_TRUE(file_exists(dir / "run/preprocessor_config.json"));
  EvalOptions c;
  c.directory = dir / "run", c.data = dir / "table.csv", c.batch = 6;
  const auto scores = std::get<MatchEval>(evaluate(c));
  EXPECT_EQ(scores.pairs, 24);
  EXPECT_EQ(scores.batch, 6);
  EXPECT_GT(scores.loss, 0.5);
}

TEST_F(CaptionJob, AnImageIsOnOneSideWithAllItsCaptions) {
  DataRecipe data;
  data.train = dir / "table.csv", data.image_column = "file", data.text_column = "said";
  data.valid_share = 0.3;
  const CaptionParts parts = recipe_captions(data);
  EXPECT_EQ(parts.train.size() + parts.valid.size(), 24u);
  const std::vector<std::string> kept = caption_images(parts.train);
  for (const std::string& image : caption_images(parts.valid))
    EXPECT_EQ(std::count(kept.begin(), kept.end(), image), 0) << image;
  EXPECT_EQ(kept.size() * 2, parts.train.size());
}

TEST_F(CaptionJob, AnotherPictureIsAnotherInput) {
  const Recipe recipe = command(kClip, files(), dir / "run").recipe;
  const RunInputs before = run_inputs(recipe);
  write_shape_folders({dir / "png", 12, 2, false});
  EXPECT_NE(run_inputs(recipe), before);
}

TEST_F(CaptionJob, IsLookedIntoByImageByTextAndByBoth) {
  run_training(command(kClip, files(), dir / "run"));
  const InspectSubject subject(dir / "run");
  const std::string image = dir / "png/circle/000000.png";
  const auto kind_of = [&](const InputChoice& input, const std::string& kind) {
    InspectCommand c{.what = "attention", .directory = dir / "run", .input = input};
    c.attention.kind = kind;
    const Inspection shown = inspect(subject, c);
    for (const auto& [name, value] : shown.facts)
      if (name == "attention") return value.text();
    return std::string();
  };
  EXPECT_EQ(kind_of({.image = image}, ""), "self");
  EXPECT_EQ(kind_of({.text = "one circle"}, ""), "text");
  EXPECT_EQ(kind_of({.text = "one circle", .image = image}, ""), "self");
  EXPECT_EQ(kind_of({.text = "one circle", .image = image}, "text"), "text");
  const Inspection steps = inspect(subject, {.what = "gradients",
                                             .directory = dir / "run",
                                             .input = {.text = "one circle", .image = image}});
  for (const auto& row : steps.tables.at(0).rows) EXPECT_GT(row[1].number(), 0) << row[0].text();
}

TEST_F(CaptionJob, AnySentencesAreLabels) {
  run_training(command(kClip, files(), dir / "run"));
  const std::string image = dir / "png/square/000001.png";
  const std::vector<std::string> labels = {"one circle", "a picture of a square", "one"};
  const Json page =
      matched_labels(InspectSubject(dir / "run"), read_file(image), labels, 3, nullptr);
  const TextLine line{image, image};
  const Classification shown =
      Encoder(dir / "run").classify({&line, 1}, {.top_k = 3, .labels = labels}).at(0);
  ASSERT_EQ(page.find("predictions")->items().size(), 3u);
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    const Json& one = page.find("predictions")->items()[i];
    EXPECT_EQ(one.find("label")->text(), shown.labels[i].label);
    EXPECT_NEAR(one.find("score")->number(), shown.labels[i].score, 1e-6);
    sum += shown.labels[i].score;
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_F(CaptionJob, WhatCannotBeLearntIsNamed) {
  const auto refused = [&](const std::string& model, const std::string& data,
                           const std::string& train) {
    return error_of<UsageError>([&] { run_training(command(model, data, dir / "no", train)); });
  };
  const std::string made = "kind = \"captions\"\nmake = \"shapes\"\ncount = 20\nvalid_count = 4\n";
  EXPECT_NE(
      refused(kClip, made, "batch = 4\naccumulate = 4\n").find("train.batch is 4 in 4 pieces"),
      std::string::npos);
  EXPECT_NE(refused("[model]\nfamily = \"vit\"\n", made, "batch = 4\n")
                .find("a vit model does not learn from images with captions"),
            std::string::npos);
  EXPECT_NE(refused(kClip, made, "batch = 4\nmetric = \"f1\"\n").find("wanted loss or accuracy"),
            std::string::npos);
}

TEST_F(CaptionJob, TooFewAndMissingPicturesAreNamed) {
  write_plain(dir / "table.csv", "file,said\npng/none.png,nothing\n");
  EXPECT_NE(error_of<FormatError>([&] {
              run_training(command(kClip, files(), dir / "no"));
            }).find("found 1 captions, too few"),
            std::string::npos);
  const std::string both = files() + text_of("valid = \"", dir / "table.csv", "\"\n");
  EXPECT_THROW(run_training(command(kClip, both, dir / "no")), Error);
}

}  // namespace
}  // namespace jogak
