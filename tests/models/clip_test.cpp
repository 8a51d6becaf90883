// CLIP against goldens of PyTorch and transformers (tests/goldens/make_clip.py).
#include "models/images/clip.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "tests/models/golden.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

using test::expect_golden;

class ClipGoldens : public testing::TestWithParam<std::string> {};

TEST_P(ClipGoldens, VectorsScoresLossGradientsAndWhatHappensInside) {
  const test::ModelGolden<Clip> g(GetParam());
  jogak::Run run;
  test::GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Tensor images = g.model.image_vectors(g.get("pixel_values"), run);
  const Tensor texts =
      g.model.text_vectors(g.get("input_ids"), cast(g.get("attention_mask"), DType::boolean), run);
  const ClipConfig& c = g.model.config;
  EXPECT_EQ(watch.seen, 2 * (c.text.layers + c.vision.layers) + 2);
  expect_golden(images, g.get("image_features"), "image_features");
  expect_golden(texts, g.get("text_features"), "text_features");
  const Tensor scores = g.model.logits_per_image(images, texts);
  expect_golden(scores, g.get("logits_per_image"), "logits_per_image");
  const MatchModel match = match_of(std::shared_ptr<const Clip>(&g.model, [](const Clip*) {}));
  const Tensor loss = match.loss(scores);
  expect_golden(loss, g.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
}

INSTANTIATE_TEST_SUITE_P(All, ClipGoldens, testing::ValuesIn(test::goldens_of("clip")),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(ClipErrors, ImagesOfAnotherSizeAndTextsThatAreTooLongAreNamed) {
  const test::ModelGolden<Clip> g("clip-a");
  jogak::Run run;
  expect_error<ShapeError>(
      [&] {
        g.model.image_vectors(zeros({1, 3, 16, 12}), run);
      },
      "clip: images [1, 3, 16, 12], wanted [images, 3, 12, 12]");
  expect_error<ShapeError>(
      [&] {
        g.model.text_vectors(zeros({1, 13}, DType::i64), {}, run);
      },
      "clip: texts [1, 13], wanted [texts, tokens] of at most 12 tokens");
}

TEST(ClipErrors, AnotherClassOfTransformersIsRefused) {
  EXPECT_NE(error_of<FormatError>([] {
              read_config<ClipConfig>(
                  parse_json(R"({"architectures": ["CLIPForImageClassification"]})", "c"), "c");
            }).find("wanted CLIPModel"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
