#include "nn/labels.h"

#include <cmath>

#include "tests/support/expect.h"

namespace jogak {
namespace {

Labels read(const Json& config) { return read_labels(Fields(config, "config.json")); }

TEST(Labels, ANameThatComesTwiceStandsForItsLastId) {
  const Json given =
      Json::object({{"id2label", Json::object({{"0", "a"}, {"1", "b"}, {"2", "a"}})}});
  Json written = Json::object();
  write_labels(read(given), written);
  EXPECT_EQ(*written.find("id2label"), *given.find("id2label"));
  EXPECT_EQ(*written.find("label2id"), Json::object({{"a", 2}, {"b", 1}}));
}

// In a time that grows with their number: comparing each with all would take minutes.
TEST(Labels, AsManyAsThereMayBe) {
  const Labels labels = read(Json::object({{"num_labels", 131072}}));
  EXPECT_EQ(labels.names.back(), "LABEL_131071");
  Json written = Json::object();
  write_labels(labels, written);
  EXPECT_EQ(read(parse_json(written.dump(), "again")).names, labels.names);
}

// (1 - e) of the target's loss and e of the mean over all classes, as torch's cross_entropy; what
// does not count counts nowhere.
TEST(Labels, SmoothingSpreadsTheTarget) {
  const Tensor logits = from_values(std::vector<double>{1, 2, 4, 0, 0, 3}, {2, 3});
  const Tensor targets = from_values(std::vector<int64_t>{2, -100}, {2});
  const double all = std::log(std::exp(1) + std::exp(2) + std::exp(4));
  const double wanted = 0.7 * (all - 4) + 0.3 * (all - 7.0 / 3);
  for (const Reduction reduction : {Reduction::mean, Reduction::sum})
    EXPECT_NEAR(item(label_loss(logits, targets, {{}, Problem::single_label},
                                {.label_smoothing = 0.3, .reduction = reduction})),
                wanted, 1e-12);
}

TEST(LabelErrors, SmoothingNeedsOneOfSeveralClasses) {
  const Tensor x = from_values(std::vector<float>{1, 2}, {1, 2});
  for (const Problem problem : {Problem::regression, Problem::multi_label})
    expect_error<UsageError>(
        [&] {
          label_loss(x, x, {{}, problem}, {.label_smoothing = 0.1});
        },
        "label smoothing: found 0.1, but one of several classes is not predicted here");
}

}  // namespace
}  // namespace jogak
