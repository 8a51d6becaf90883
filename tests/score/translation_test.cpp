#include "score/translation.h"

#include <cmath>

#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/version.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using Strings = std::vector<std::string>;

Strings texts(const Json& list) {
  Strings out;
  for (const Json& item : list.items()) out.push_back(item.text());
  return out;
}

std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.find("|version:"));
}

// Written by tests/goldens/check_bleu.py; the scores are sacrebleu's.
TEST(Translation, EqualsSacrebleu) {
  const Json cases = read_json_file(source_path("tests/goldens/score/bleu.json"));
  ASSERT_GE(cases.items().size(), 20u);
  for (const Json& one : cases.items()) {
    std::vector<Strings> references;
    for (const Json& r : one.find("references")->items()) references.push_back(texts(r));
    TranslationOptions options;
    options.bleu.tokens = parse_bleu_tokens(one.find("tokenize")->text());
    options.bleu.lowercase = one.find("lowercase")->boolean();
    const TranslationScore score =
        score_translations(texts(*one.find("hypotheses")), references, options);
    EXPECT_NEAR(score.bleu.score, one.find("bleu")->number(), 1e-6);  // both are double sums
    EXPECT_NEAR(score.chrf, one.find("chrf")->number(), 1e-6);
    EXPECT_EQ(score.bleu.counts.length, one.find("length")->integer());
    EXPECT_EQ(score.bleu.counts.reference_length, one.find("reference_length")->integer());
    EXPECT_NEAR(score.bleu.brevity_penalty, one.find("brevity_penalty")->number(), 1e-9);
    for (size_t n = 0; n < 4; ++n)
      EXPECT_NEAR(score.bleu.precisions[n], one.find("precisions")->items()[n].number(), 1e-6);
    EXPECT_EQ(without_version(score.signature), without_version(one.find("signature")->text()));
    EXPECT_EQ(without_version(score.chrf_signature),
              without_version(one.find("chrf_signature")->text()));
  }
}

TEST(Translation, LinesToQuote) {
  const TranslationScore score =
      score_translations({"the cat sat on the mat .", "hi"}, {{"the cat sat on a mat .", "hi"}});
  EXPECT_EQ(score.bleu_line(),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:jogak-" +
                std::string(kVersion) +
                " = 49.14 "
                "87.5/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)");
  EXPECT_EQ(score.lines, 2);
  EXPECT_FALSE(score.bleu_interval.has_value());
  EXPECT_EQ(score.chrf_line().find("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"),
            0u);
}

Strings some_lines(uint64_t seed, size_t count) {
  Rng rng(seed);
  Strings out(count);
  for (std::string& line : out)
    for (int i = 0; i < 12; ++i)
      line += std::string(1, static_cast<char>('a' + rng.below(4))) + ' ';
  return out;
}

TEST(Translation, TheIntervalFollowsFromTheSeedAlone) {
  const Strings hypotheses = some_lines(1, 200), references = some_lines(2, 200);
  const auto score = [&](uint64_t seed) {
    return score_translations(hypotheses, {references},
                              {.bootstrap = {.resamples = 200, .seed = seed}});
  };
  const int before = thread_count();
  set_thread_count(1);
  const TranslationScore one = score(7);
  set_thread_count(4);
  const TranslationScore four = score(7), other = score(8);
  set_thread_count(before);
  EXPECT_EQ(one.bleu_interval->mean, four.bleu_interval->mean);
  EXPECT_EQ(one.chrf_interval->half_width, four.chrf_interval->half_width);
  EXPECT_NE(one.bleu_interval->mean, other.bleu_interval->mean);
  EXPECT_NEAR(one.bleu_interval->mean, one.bleu.score, one.bleu_interval->half_width);
  EXPECT_GT(one.bleu_interval->half_width, 0);
  EXPECT_NE(one.bleu_line().find(" (μ = "), std::string::npos);
  EXPECT_NE(one.chrf_line().find(" ± "), std::string::npos);
}

// The mean of n numbers of deviation 1 has a deviation of 1 / sqrt(n); 1.96 of it is 95 %.
TEST(Bootstrap, TheWidthIsWhatStatisticsSays) {
  constexpr int64_t kLines = 400;
  Rng rng(3);
  std::vector<double> values(kLines);
  for (double& value : values) value = rng.normal();
  const Interval found =
      bootstrap_interval(kLines, {.resamples = 2000}, [&](std::span<const int64_t> drawn) {
        EXPECT_EQ(drawn.size(), static_cast<size_t>(kLines));
        double sum = 0;
        for (const int64_t i : drawn) sum += values[static_cast<size_t>(i)];
        return sum / static_cast<double>(drawn.size());
      });
  double mean = 0, square = 0;
  for (const double value : values) mean += value / kLines;
  for (const double value : values) square += (value - mean) * (value - mean) / kLines;
  const double deviation = std::sqrt(square / kLines);
  EXPECT_NEAR(found.half_width / deviation, 1.96, 0.12);  // 2000 draws: about 3 % either way
  EXPECT_NEAR(found.mean, mean, 0.1 * deviation);
}

TEST(Bootstrap, TheInnerNinetyFivePercent) {
  std::vector<double> scores;
  for (int i = 1; i <= 1000; ++i) scores.push_back(1001 - i);
  EXPECT_EQ(interval_of(scores).mean, 500.5);
  EXPECT_EQ(interval_of(scores).half_width, (975.0 - 26.0) / 2);  // 25 are cut at each end
  EXPECT_EQ(interval_of({3}).half_width, 0);
  error_of<Error>([] { interval_of({}); });
  const ResampleScore nothing = [](std::span<const int64_t>) { return 0.0; };
  error_of<Error>([&] { bootstrap_interval(0, {.resamples = 5}, nothing); });
  error_of<UsageError>([&] { bootstrap_interval(5, {.resamples = -1}, nothing); });
}

TEST(Translation, WhatDoesNotFit) {
  expect_error<Error>(
      [] {
        score_translations({"a"}, {{"a", "b"}});
      },
      "found 1 lines of translation and 2 of reference, wanted as many of both");
  error_of<Error>([] { score_translations({}, {{}}); });
  error_of<Error>([] { score_translations({"a"}, {}); });
}

}  // namespace
}  // namespace jogak
