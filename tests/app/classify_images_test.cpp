#include "app/data/image_files.h"
#include "app/models/model.h"
#include "app/tools/new_model.h"
#include "app/use/encoder.h"
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

  static std::vector<Classification> classify(const std::string& model,
                                              const std::vector<std::string>& files, size_t top_k) {
    return Encoder(model).classify(text_lines(files), {.top_k = top_k, .batch = 2});
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
    EXPECT_TRUE(got[i].image);
    EXPECT_EQ(got[i].input, files[i]);
    const auto wanted = likeliest_of(alone(vit, read_image(files[i])), 3);
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(got[i].labels.at(k).label, labels.names[static_cast<size_t>(wanted[k].index)]);
      EXPECT_NEAR(got[i].labels[k].score, wanted[k].score, 1e-6);
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
  EXPECT_TRUE(got[2].input.ends_with("images-idx3-ubyte#2"));
  const Image last{10, 12, 1, {idx.values.begin() + 240, idx.values.end()}};
  EXPECT_NEAR(got[2].labels.at(0).score, likeliest_of(alone(dir / "vit", last), 1)[0].score, 1e-6);
}

TEST_F(ClassifyImages, EmbedGivesTheClassToken) {
  const std::string three = test::golden_dir("vit-a"),
                    image = test::golden_dir("images") + "/rgb.png";
  const auto got = Encoder(three).embed(text_lines(std::vector{image, image}));
  ASSERT_EQ(got.size(), 2u);
  const Model m = open_model(three);
  const ImageInput input = image_input(three, m.encoder);
  std::vector<float> pixels(static_cast<size_t>(input.values()));
  to_model(fitted(read_image(image), input), input, pixels);
  jogak::Run run;
  const auto hidden = to_host<float>(m.encoder.hidden(
      {.values = from_values(pixels, {1, input.channels, input.height, input.width})}, run));
  const std::vector<float>& vector = got[1].vector;
  ASSERT_EQ(static_cast<int64_t>(vector.size()), m.encoder.width);
  for (size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(vector[i], hidden[i], 1e-5);
  EXPECT_EQ(got[0].input, image);
}

TEST_F(ClassifyImages, OnePixelIsMadeLarger) {  // kind 179
  const std::string vit = test::golden_dir("vit-a");
  const Image one{1, 1, 1, {77}};
  write_file(dir / "one.png", encode_png(one));
  const auto got = classify(vit, {dir / "one.png"}, 1);
  EXPECT_NEAR(got.at(0).labels.at(0).score, likeliest_of(alone(vit, one), 1)[0].score, 1e-6);
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
