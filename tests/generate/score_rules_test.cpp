#include "generate/score_rules.h"

#include <cmath>
#include <limits>

#include "generate/plan.h"
#include "generate/sampling.h"
#include "generate/settings_keys.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;
constexpr float kInfinite = std::numeric_limits<float>::infinity();

Ids ids_of(const Fields& f, const char* key) {
  Ids out;
  for (const Json& x : f.list(key)) out.push_back(static_cast<int>(x.integer()));
  return out;
}

float score_of(const Json& x) {
  if (x.is_number()) return static_cast<float>(x.number());
  return x.text() == "nan" ? NAN : x.text() == "inf" ? kInfinite : -kInfinite;
}

struct Case {
  GenerationPlan plan;
  std::vector<float> scores;  // after the rules
};

// Settings as a file has them, all the way to the scores.
Case made(const Fields& one, const std::string& path) {
  const auto& written = one.list("scores");
  Case out{
      plan_of(read_generation_file(one.at("settings"), path, static_cast<int64_t>(written.size()))
                  .settings),
      {}};
  for (const Json& x : written) out.scores.push_back(score_of(x));
  const Ids tokens = ids_of(one, "tokens"), source = ids_of(one, "source");
  const auto prompt = static_cast<size_t>(one.integer("prompt", {}));
  apply(out.plan.beam.rules,
        {.tokens = tokens,
         .prompt = prompt,
         .source = source,
         .most = static_cast<int64_t>(prompt) + out.plan.room_after(prompt),
         .ends = out.plan.beam.eos_ids},
        out.scores);
  return out;
}

TEST(ScoreRules, MakeWhatTransformersMakesOfRandomSettings) {
  const std::string path = source_path("tests/goldens/generation/rules.json");
  const Json golden = read_json_file(path);
  int rules = 0, draws = 0;
  for (const Json& item : Fields(golden, path).list("cases")) {
    const Fields one(item, path);
    SCOPED_TRACE(one.at("settings").dump());
    const Case found = made(one, path);
    std::vector<double> shares(found.scores.size());
    if (found.plan.draws()) {
      ++draws;
      for (const Candidate& c : candidates(found.scores, found.plan.beam.sampling))
        shares[static_cast<size_t>(c.id)] = c.probability;
    } else {
      ++rules;
    }
    const Json& wanted = one.at(found.plan.draws() ? "probabilities" : "made");
    for (size_t i = 0; i < found.scores.size(); ++i) {
      const Json* now = wanted.find(std::to_string(i));
      if (found.plan.draws()) {
        EXPECT_NEAR(shares[i], now ? now->number() : 0, 2e-6) << "token " << i;
        EXPECT_EQ(shares[i] > 0, now != nullptr) << "token " << i;
      } else if (now && now->is_null()) {
        EXPECT_EQ(found.scores[i], -kInfinite) << "token " << i;
      } else {
        const float before = score_of(one.list("scores")[i]);
        const float after = now ? static_cast<float>(now->number()) : before;
        EXPECT_FLOAT_EQ(found.scores[i], after) << "token " << i;  // four units in the last place
      }
    }
  }
  EXPECT_EQ(rules, 60);
  EXPECT_EQ(draws, 60);
}

std::vector<float> after(const ScoreRules& rules, const TextSoFar& text) {
  std::vector<float> out = {1, 2, 3, 4, 5};
  apply(rules, text, out);
  return out;
}

TEST(ScoreRules, ForbiddenTokensAloneAreToldApart) {
  const Ids tokens = {1, 2, 1}, ends = {4};
  const TextSoFar text{.tokens = tokens, .prompt = 1, .source = tokens, .most = 9, .ends = ends};
  ScoreRules rules;
  EXPECT_EQ(only_forbidden(rules, text), Ids{});
  rules.no_repeat_ngram_size = 2, rules.min_new_tokens = 3, rules.suppress_tokens = {0};
  // The first cannot be completed; the end, alone, is no bad word.
  rules.bad_words_ids = {{1, 1, 3}, {1, 1}, {4}};
  EXPECT_EQ(only_forbidden(rules, text), (Ids{1, 2, 4, 0}));
  EXPECT_EQ(after(rules, text),
            (std::vector<float>{-kInfinite, -kInfinite, -kInfinite, 4, -kInfinite}));
  rules.forced_eos_token_ids = {4};
  EXPECT_TRUE(only_forbidden(rules, text).has_value()) << "the last token is far";
  TextSoFar last = text;
  last.most = 4;
  EXPECT_FALSE(only_forbidden(rules, last).has_value());
  EXPECT_EQ(after(rules, last),
            (std::vector<float>{-kInfinite, -kInfinite, -kInfinite, -kInfinite, 0}));
}

TEST(ScoreRules, ATokenThatEndsTwiceGainsOnce) {
  std::vector<float> scores = {1, -2};
  grow_ends(scores, Ids{0, 1, 0}, 2, 3);  // by 2^3 - 1 times its size
  EXPECT_EQ(scores, (std::vector<float>{8, 12}));
}

TEST(ScoreRules, WhatGrowsBeyondAllFloatsIsTheLargest) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<float> scores = {-kLargest, 0, 2};
  grow_ends(scores, Ids{0, 1}, 1e300, 9);
  EXPECT_EQ(scores, (std::vector<float>{kLargest, 0, 2}));
}

TEST(ScoreRules, TokensBeyondTheScoresDoNotMatter) {
  const Ids tokens = {9, 1, 9};
  const TextSoFar text{.tokens = tokens, .prompt = 3, .source = tokens, .most = 9, .ends = {}};
  ScoreRules rules;
  rules.no_repeat_ngram_size = 1, rules.repetition_penalty = 2;
  EXPECT_EQ(after(rules, text), (std::vector<float>{1, -kInfinite, 3, 4, 5}));
}

}  // namespace
}  // namespace jogak
