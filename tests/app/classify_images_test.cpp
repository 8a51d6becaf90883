#include "app/use/classify_images.h"

#include "app/data/image_files.h"
#include "app/tools/new_model.h"
#include "app/use/embed.h"
#include "app/use/predictions.h"
#include "base/file.h"
#include "data/idx_file.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class ClassifyImages : public testing::Test {
 protected:
  TempDir dir;
  std::vector<std::string> written;

  std::vector<Json> classify(const std::string& model, const std::vector<std::string>& files,
                             size_t top_k) {
    ClassifyCommand c{.directory = model, .top_k = top_k, .json = true, .batch = 2};
    std::vector<Json> out;
    c.line = [&](const std::string& line) { out.push_back(parse_json(line, "line")); };
    c.flush = [] {};
    take_texts(files, classify_lines(c));
    return out;
  }

  static std::vector<float> alone(const std::string& model, const Image& image) {
    const Model m = open_model(model);
    const ImageInput input = image_input(model, m.encoder);
    std::vector<float> pixels(static_cast<size_t>(input.values()));
    to_model(fitted(image, input), input, pixels);
    jogak::Run run;
    return to_host<float>(m.encoder.predict(
        {.values = from_values(pixels, {1, input.channels, input.height, input.width})}, run));
  }
};

TEST_F(ClassifyImages, FilesOfEitherKind) {
  const std::string vit = test::golden_dir("vit-a"), images = test::golden_dir("images");
  const std::vector<std::string> files = {images + "/rgb.png", images + "/rgb.jpg",
                                          images + "/grey.png"};
  const auto got = classify(vit, files, 3);
  ASSERT_EQ(got.size(), 3u);
  const Labels labels = open_model(vit).encoder.labels;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got[i].find("image")->text(), files[i]);
    const auto wanted = likeliest_of(alone(vit, read_image(files[i])), 3);
    const auto& best = got[i].find("predictions")->items();
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(best[k].find("label")->text(), labels.names[static_cast<size_t>(wanted[k].index)]);
      EXPECT_NEAR(best[k].find("score")->number(), wanted[k].score, 1e-6);
    }
  }
}

TEST_F(ClassifyImages, EveryImageOfAnIdxFile) {
  make_new_model({.directory = dir / "vit", .family = "vit", .settings = {"num_labels=4"}});
  IdxFile idx{{3, 10, 12}, std::vector<uint8_t>(360)};
  for (size_t i = 0; i < idx.values.size(); ++i) idx.values[i] = static_cast<uint8_t>(i * 7);
  write_file(dir / "images-idx3-ubyte", idx_bytes(idx));
  const auto got = classify(dir / "vit", {dir / "images-idx3-ubyte"}, 1);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_TRUE(got[2].find("image")->text().ends_with("images-idx3-ubyte#2"));
  const Image last{10, 12, 1, {idx.values.begin() + 240, idx.values.end()}};
  EXPECT_NEAR(got[2].find("predictions")->items()[0].find("score")->number(),
              likeliest_of(alone(dir / "vit", last), 1)[0].score, 1e-6);
}

TEST_F(ClassifyImages, EmbedGivesTheClassToken) {
  const std::string three = test::golden_dir("vit-a"),
                    image = test::golden_dir("images") + "/rgb.png";
  EmbedCommand c{.directory = three, .json = true};
  std::vector<Json> got;
  c.line = [&](const std::string& line) { got.push_back(parse_json(line, "line")); };
  c.flush = [] {};
  take_texts(std::vector{image, image}, embed_lines(c));
  ASSERT_EQ(got.size(), 2u);
  const Model m = open_model(three);
  const ImageInput input = image_input(three, m.encoder);
  std::vector<float> pixels(static_cast<size_t>(input.values()));
  to_model(fitted(read_image(image), input), input, pixels);
  jogak::Run run;
  const auto hidden = to_host<float>(m.encoder.hidden(
      {.values = from_values(pixels, {1, input.channels, input.height, input.width})}, run));
  const auto& vector = got[1].find("embedding")->items();
  ASSERT_EQ(static_cast<int64_t>(vector.size()), m.encoder.width);
  for (size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(vector[i].number(), hidden[i], 1e-5);
  EXPECT_EQ(got[0].find("image")->text(), image);
}

TEST_F(ClassifyImages, OnePixelIsMadeLarger) {  // kind 179
  const std::string vit = test::golden_dir("vit-a");
  const Image one{1, 1, 1, {77}};
  write_file(dir / "one.png", encode_png(one));
  const auto got = classify(vit, {dir / "one.png"}, 1);
  EXPECT_NEAR(got.at(0).find("predictions")->items()[0].find("score")->number(),
              likeliest_of(alone(vit, one), 1)[0].score, 1e-6);
}

TEST_F(ClassifyImages, WhatIsNoImageIsRefused) {
  write_file(dir / "a.png", "not an image");
  const std::string vit = test::golden_dir("vit-a");
  EXPECT_NE(error_of<FormatError>([&] { classify(vit, {dir / "a.png"}, 1); }).find(dir / "a.png"),
            std::string::npos);
  error_of<MissingError>([&] { classify(vit, {dir / "none.png"}, 1); });
  EXPECT_NE(error_of<FormatError>([&] {
              classify(test::golden_dir("vit-d"), {}, 1);
            }).find("this model has no labels"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
