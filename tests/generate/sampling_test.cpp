#include "generate/sampling.h"

#include <cmath>
#include <limits>

#include "base/json.h"
#include "generate/score_rules.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

int greedy(const std::vector<float>& logits, const std::vector<int>& history = {},
           double penalty = 1) {
  Rng rng(0);
  std::vector<float> scores = logits;
  penalize_repeats(scores, history, penalty);
  const int id = pick(scores, {}, rng);
  EXPECT_EQ(rng.position(), 0u) << "greedy draws nothing";
  return id;
}

TEST(Sampling, KeepsWhatTransformersKeeps) {
  const std::string path = source_path("tests/generate/sampling.json");
  const Json golden = read_json_file(path);
  int cases = 0;
  for (const Json& item : Fields(golden, path).list("cases")) {
    const Fields one(item, path), o = one.object("options");
    SCOPED_TRACE(one.at("options").dump());
    std::vector<float> logits;
    std::vector<int> history;
    for (const Json& x : one.list("scores")) logits.push_back(static_cast<float>(x.number()));
    for (const Json& x : one.list("history")) history.push_back(static_cast<int>(x.integer()));
    std::vector<double> found(logits.size());
    const SamplingOptions options{.temperature = o.number("temperature"),
                                  .top_k = o.integer_or("top_k", 0, {}),
                                  .top_p = o.number_or("top_p", 1),
                                  .min_p = o.number_or("min_p", 0)};
    penalize_repeats(logits, history, o.number_or("repeat_penalty", 1));
    for (const Candidate& c : candidates(logits, options))
      found[static_cast<size_t>(c.id)] = c.probability;
    const auto& wanted = one.list("probabilities");
    ASSERT_EQ(wanted.size(), found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], wanted[i].number(), 1e-6) << "token " << i;
      EXPECT_EQ(found[i] > 0, wanted[i].number() > 0) << "token " << i;
    }
    ++cases;
  }
  EXPECT_EQ(cases, 42);
}

TEST(Sampling, GreedyTakesTheBestAndOfEqualsTheFirst) {
  EXPECT_EQ(greedy({0, 2, 1}), 1);
  EXPECT_EQ(greedy({-1, 3, 3, 3}), 1);
  EXPECT_EQ(greedy({-kInfinity, -5, -kInfinity}), 1);
}

TEST(Sampling, RepeatPenaltyChangesGreedyToo) {
  EXPECT_EQ(greedy({2, 1.5f, 0}, {0, 0, 0}, 1.2), 0);   // 2 / 1.2 = 1.67, once, not thrice
  EXPECT_EQ(greedy({2, 1.5f, 0}, {0}, 1.5), 1);         // 1.33
  EXPECT_EQ(greedy({-1, -1.1f}, {0}, 1.2), 1);          // negative: multiplied
  EXPECT_EQ(greedy({2, 1.5f, 0}, {0, 3, 99}, 1.5), 1);  // ids beyond the scores do not matter
}

TEST(Sampling, DrawsAsOftenAsTheProbabilitySays) {
  const std::vector<float> logits = {std::log(0.5f), -kInfinity, std::log(0.3f), std::log(0.2f)};
  std::vector<int> count(4);
  Rng rng(11);
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i)
    ++count[static_cast<size_t>(pick(logits, {.temperature = 1}, rng))];
  EXPECT_EQ(count[1], 0);
  const double p[] = {0.5, 0, 0.3, 0.2};
  for (const int i : {0, 2, 3})  // four standard deviations
    EXPECT_NEAR(count[i], kDraws * p[i], 4 * std::sqrt(kDraws * p[i] * (1 - p[i]))) << i;
  EXPECT_EQ(rng.position(), 2u * kDraws) << "one number of two words for each token";
}

TEST(Sampling, TheSeedDecides) {
  const std::vector<float> logits(100, 0.f);
  const auto draw = [&](uint64_t seed) {
    Rng rng(seed);
    std::vector<int> out;
    for (int i = 0; i < 20; ++i) out.push_back(pick(logits, {.temperature = 1}, rng));
    return out;
  };
  EXPECT_EQ(draw(5), draw(5));
  EXPECT_NE(draw(5), draw(6));
}

TEST(Sampling, ExtremeTemperaturesStayNumbers) {
  Rng rng(1);
  EXPECT_EQ(pick(std::vector<float>{1, 3e38f, 0}, {.temperature = 1e-320}, rng), 1);
  const auto even = candidates(std::vector<float>{-3e38f, 3e38f}, {.temperature = 1e300});
  ASSERT_EQ(even.size(), 2u);
  EXPECT_NEAR(even[0].probability, 0.5, 1e-9);
}

TEST(SamplingErrors, ScoresThatNothingCanBeDrawnFrom) {
  expect_error<Error>(
      [] {
        greedy({1, kNan, 2});
      },
      "sampling: found the score nan for token 1, wanted a number: the model's "
      "weights or its input are broken");
  expect_error<Error>(
      [] {
        greedy({1, 2, kInfinity});
      },
      "sampling: found the score inf for token 2, wanted a number: the model's "
      "weights or its input are broken");
  expect_error<Error>(
      [] {
        greedy({-kInfinity, -kInfinity});
      },
      "sampling: found no token that can come among 2, wanted at least one");
  expect_error<Error>([] { greedy({}); },
                      "sampling: found no token that can come among 0, wanted at least one");
  expect_error<Error>(
      [] {
        greedy({1, 2}, {-1}, 2);
      },
      "sampling: found the token -1 in the text so far, wanted ids from 0");
}

TEST(SamplingErrors, OptionsNameWhatWasFoundAndWanted) {
  const auto refuse = [](const SamplingOptions& options, const std::string& message) {
    expect_error<UsageError>([&] { check(options); }, message);
  };
  refuse({.temperature = -1}, "temperature: found -1, wanted a number from 0");
  refuse({.temperature = kNan}, "temperature: found nan, wanted a number from 0");
  refuse({.top_k = -2}, "top-k: found -2, wanted a number from 0 (0: all)");
  refuse({.top_p = 1.5}, "top-p: found 1.5, wanted 0 to 1");
  refuse({.min_p = -0.1}, "min-p: found -0.1, wanted 0 to 1");
  refuse({.typical_p = 2}, "typical-p: found 2, wanted 0 to 1");
  refuse({.epsilon_cutoff = kNan}, "epsilon-cutoff: found nan, wanted 0 to 1");
}

}  // namespace
}  // namespace jogak
