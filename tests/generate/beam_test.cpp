#include "generate/beam.h"

#include <algorithm>
#include <cmath>

#include "generate/batcher.h"
#include "tests/generate/fake_model.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

FakeModel::Scores random_scores(int vocab) {
  return [vocab](const Ids& text) {
    uint64_t hash = 99;
    for (const int id : text) hash = (hash ^ static_cast<uint64_t>(id + 1)) * 0x100000001B3u;
    Rng rng(hash);
    std::vector<float> out;
    for (int i = 0; i < vocab; ++i) out.push_back(static_cast<float>(rng.normal()));
    return out;
  };
}

// Every text that ends with the end token or has `most` tokens, with its score.
void all_texts(const FakeModel::Scores& scores, Ids text, size_t prompt, size_t most, int eos,
               double sum, double penalty, std::vector<BeamText>& out) {
  const std::vector<float> row = scores(text);
  double total = 0;
  for (const float x : row) total += std::exp(static_cast<double>(x));
  for (size_t token = 0; token < row.size(); ++token) {
    const double now = sum + row[token] - std::log(total);
    Ids longer = text;
    longer.push_back(static_cast<int>(token));
    const size_t length = longer.size() - prompt;
    if (length == most || static_cast<int>(token) == eos)
      out.push_back({{longer.begin() + static_cast<ptrdiff_t>(prompt), longer.end()},
                     now / std::pow(static_cast<double>(length), penalty)});
    else
      all_texts(scores, longer, prompt, most, eos, now, penalty, out);
  }
}

TEST(BeamSearch, WithBeamsForEveryTextItFindsTheBest) {
  const FakeModel::Scores scores = random_scores(5);
  FakeModel fake(5, 16, scores);
  const CausalModel model = fake.model();
  for (const int eos : {-1, 2}) {
    for (const double penalty : {0.0, 1.0, 2.0}) {
      BeamOptions options{.beams = 700, .n_best = 20, .length_penalty = penalty, .max_new = 4};
      options.early_stopping = EarlyStopping::never;
      if (eos >= 0) options.eos_ids = {eos};
      const std::vector<BeamText> found = beam_search(model, Ids{1, 3}, options);
      std::vector<BeamText> wanted;
      all_texts(scores, {1, 3}, 2, 4, eos, 0, penalty, wanted);
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const BeamText& a, const BeamText& b) { return a.score > b.score; });
      ASSERT_EQ(found.size(), 20u);
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].ids, wanted[i].ids) << i;
        EXPECT_NEAR(found[i].score, wanted[i].score, 1e-5) << i;
        EXPECT_EQ(found[i].finish_reason == FinishReason::stop, found[i].ids.back() == eos);
      }
    }
  }
}

TEST(BeamSearch, OneBeamIsGreedy) {
  FakeModel fake(30, 100);
  const CausalModel model = fake.model();
  for (int i = 0; i < 30; ++i) {
    const Ids prompt = {i, 2 * i % 30};
    GenerateRequest request;
    request.prompt = prompt;
    request.max_new = 12;
    request.eos_ids = {4};
    const auto beam = beam_search(model, prompt, {.beams = 1, .max_new = 12, .eos_ids = {4}});
    ASSERT_EQ(beam.size(), 1u);
    const Generated greedy = generate(model, nullptr, request);
    EXPECT_EQ(beam[0].ids, greedy.ids);
    EXPECT_EQ(beam[0].finish_reason, greedy.finish_reason);
  }
}

// The rules see logits, as in the batcher: of log probabilities they would choose otherwise.
TEST(BeamSearch, OneBeamFollowsTheRulesAndDrawsAsTheBatcherDoes) {
  FakeModel fake(30, 100);
  const CausalModel model = fake.model();
  ScoreRules rules;
  rules.repetition_penalty = 1.6, rules.sequence_bias = {{{3}, 1.5}, {{7, 9}, 4}};
  for (int i = 0; i < 30; ++i) {
    for (const double temperature : {0.0, 0.9}) {
      GenerateRequest request{.prompt = {i, 2 * i % 30}, .rules = rules, .max_new = 12};
      request.eos_ids = {4}, request.stream = 2;
      request.sampling = {.temperature = temperature, .top_k = 12, .seed = 5};
      BeamOptions options{.beams = 1, .rules = rules, .max_new = 12, .eos_ids = {4}};
      options.sampling = request.sampling;
      const BeamRequest one{.prompt = request.prompt, .stream = 2};
      EXPECT_EQ(beam_search(model, {&one, 1}, options)[0][0].ids,
                generate(model, nullptr, request).ids);
    }
  }
}

// Two of four tokens without replacement: what is taken twice is taken in either order.
TEST(BeamSearch, DrawnBeamsComeAsOftenAsTheirProbabilitiesSay) {
  const double p[] = {0.5, 0.25, 0.15, 0.1};
  FakeModel fake(4, 8, [&](const Ids&) {
    std::vector<float> out;
    for (const double share : p) out.push_back(static_cast<float>(std::log(share)));
    return out;
  });
  const CausalModel model = fake.model();
  constexpr int kDraws = 8000;
  int count[4][4] = {};
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    BeamOptions options{.beams = 2, .n_best = 2, .max_new = 1};
    options.sampling = {.temperature = 1, .seed = seed};
    const auto texts = beam_search(model, Ids{1}, options);
    ++count[texts.at(0).ids[0]][texts.at(1).ids[0]];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const double share = p[a] * p[b] * (1 / (1 - p[a]) + 1 / (1 - p[b]));
      EXPECT_NEAR(count[a][b], kDraws * share, 4 * std::sqrt(kDraws * share * (1 - share)));
    }
}

// Beams fork in the middle of a page and at its end; each must keep its own text.
TEST(BeamSearch, ForkedBeamsKeepTheirOwnText) {
  const FakeModel::Scores scores = random_scores(12);
  FakeModel fake(12, 200, scores);
  const CausalModel model = fake.model();
  for (const size_t length : {1, 60, 63, 64, 65}) {
    const Ids prompt(length, 7);
    for (const BeamText& text :
         beam_search(model, prompt, {.beams = 6, .n_best = 6, .max_new = 9})) {
      Ids so_far = prompt;
      double sum = 0;
      for (const int id : text.ids) {
        const std::vector<float> row = scores(so_far);
        double total = 0;
        for (const float x : row) total += std::exp(static_cast<double>(x));
        sum += row[static_cast<size_t>(id)] - std::log(total);
        so_far.push_back(id);
      }
      EXPECT_NEAR(text.score, sum / 9, 1e-5) << length;
    }
  }
}

TEST(BeamSearch, EarlyStoppingEndsWithTheFirstTexts) {
  // The end token is second best at once; later texts would be better by far.
  FakeModel fake(4, 64, [](const Ids& text) {
    return text.size() == 1 ? std::vector<float>{1, 0.9f, -9, -9} : std::vector<float>{9, 0, 0, 0};
  });
  const CausalModel model = fake.model();
  BeamOptions options{.beams = 2, .n_best = 2, .max_new = 20, .eos_ids = {1, 2}};
  options.early_stopping = EarlyStopping::yes;
  const auto first = beam_search(model, Ids{0}, options);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(fake.steps.size(), 2u);
  options.early_stopping = EarlyStopping::never;
  const auto best = beam_search(model, Ids{0}, options);
  EXPECT_GT(best[0].score, first[0].score);
}

TEST(BeamSearch, RepeatPenaltyCounts) {
  FakeModel fake(3, 32, [](const Ids&) { return std::vector<float>{1, 0.5f, 0}; });
  const CausalModel model = fake.model();
  EXPECT_EQ(beam_search(model, Ids{0}, {.beams = 1, .max_new = 3})[0].ids, (Ids{0, 0, 0}));
  BeamOptions options{.beams = 2, .max_new = 3};
  options.rules.repetition_penalty = 2;
  // Log probabilities -0.68 -1.18 -1.68; twice that when seen before: -1.36 -1.18 -1.68 at first.
  EXPECT_EQ(beam_search(model, Ids{0}, options)[0].ids, (Ids{1, 0, 0}));
}

TEST(BeamSearch, ASmallVocabularyGivesFewerTexts) {
  FakeModel fake(3, 32, random_scores(3));
  const CausalModel model = fake.model();
  const auto texts = beam_search(model, Ids{0}, {.beams = 8, .n_best = 8, .max_new = 1});
  EXPECT_EQ(texts.size(), 3u);
}

TEST(BeamSearchErrors, SaysFoundAndWanted) {
  FakeModel fake(5, 16);
  const CausalModel model = fake.model();
  const auto refuse = [&](const BeamOptions& options, const std::string& message) {
    expect_error<UsageError>([&] { beam_search(model, Ids{1}, options); }, message);
  };
  refuse({.beams = 0}, "beams: found 0, wanted 1 to 1024");
  refuse({.beams = 2, .n_best = 3}, "n-best: found 3, wanted 1 to the number of beams, 2");
  refuse({.length_penalty = NAN}, "length penalty: found nan, wanted a finite number");
  refuse({.sampling = {.temperature = -1}}, "temperature: found -1, wanted a number from 0");
  expect_error<UsageError>([&] { beam_search(model, Ids{}, {}); },
                           "prompt: found no tokens, wanted at least one");
  std::atomic<bool> stop = true;
  expect_error<Stopped>([&] { beam_search(model, Ids{1}, {}, &stop); }, "stopped");
}

}  // namespace
}  // namespace jogak
