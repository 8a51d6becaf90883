// Translation with a real model: what transformers wrote with the same weights, and that a sentence
// does not depend on its neighbours.
#include "generate/translate.h"

#include <cmath>

#include "autograd/autograd.h"
#include "io/safetensors.h"
#include "models/families.h"
#include "models/marian.h"
#include "ops/pick.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

struct Golden {
  std::string folder;
  ModelFiles files;
  ParamStore store;
  Seq2SeqModel model;
  SafetensorsFile golden;

  explicit Golden(const std::string& name)
      : folder(test::golden_dir(name)),
        files(folder),
        store(ParamStore::from_files(files, family_named("seq2seq").names)),
        model(seq2seq_of(std::make_shared<const Marian>(
            Params(store),
            read_config<MarianConfig>(read_json_file(folder + "/config.json"), folder)))),
        golden(folder + "/golden.safetensors") {
    store.finish();
  }

  std::vector<Ids> rows(const std::string& name, const Tensor& mask = {}) const {
    const Tensor x = golden.get(name);
    const auto all = to_host<int64_t>(x);
    std::vector<Ids> out;
    for (int64_t b = 0; b < x.dim(0); ++b) {
      Ids row;
      for (int64_t t = 0; t < x.dim(1); ++t) {
        const bool real = mask.defined() ? to_host<int64_t>(mask)[b * x.dim(1) + t] != 0
                                         : all[b * x.dim(1) + t] >= 0;
        if (real) row.push_back(static_cast<int>(all[b * x.dim(1) + t]));
      }
      out.push_back(row);
    }
    return out;
  }
  std::vector<Ids> sources() const {
    return rows("generate.input_ids", golden.get("generate.attention_mask"));
  }
};

constexpr int64_t kNew = 5;  // make_marian.py's NEW_TOKENS

class MarianBeams : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(MarianBeams, AreTransformersTokenByToken) {
  const Golden g(GetParam().first);
  const auto sources = g.sources();
  TranslateOptions options{.beam = {.beams = 1, .forced_end = 0}, .max_new = kNew};
  options.beam.never = {-1};  // transformers was not told to leave the padding out
  const auto greedy = translate(g.model, sources, options);
  const auto wanted = g.rows("generate.greedy");
  for (size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(greedy[i][0].ids, wanted[i]) << i;
  double worst = 0;
  for (int n = 0; n < GetParam().second; ++n) {
    const std::string name = "generate." + std::to_string(n);
    options.beam.beams = options.beam.n_best = 4;
    options.beam.length_penalty = item(g.golden.get(name + ".length_penalty"));
    const auto found = translate(g.model, sources, options);
    const auto ids = g.rows(name + ".ids");
    const auto scores = to_host<double>(g.golden.get(name + ".scores"));
    for (size_t i = 0; i < ids.size(); ++i) {
      const BeamText& text = found[i / 4].at(i % 4);
      EXPECT_EQ(text.ids, ids[i]) << name << " row " << i;
      EXPECT_NEAR(text.score, scores[i], 1e-4);
      worst = std::max(worst, std::abs(text.score - scores[i]));
    }
  }
  printf("  largest difference of a score: %.2e\n", worst);
}

INSTANTIATE_TEST_SUITE_P(All, MarianBeams,
                         testing::Values(std::pair{"marian-a", 2}, std::pair{"marian-b", 1}));

std::vector<Ids> random_sources(size_t count) {
  Rng rng(5);
  std::vector<Ids> out(count);
  for (Ids& source : out) {
    const uint64_t length = 1 + rng.below(25);
    for (uint64_t i = 0; i < length; ++i) source.push_back(1 + static_cast<int>(rng.below(60)));
    source.push_back(0);
  }
  return out;
}

TEST(Translate, TheSameAloneAndInBatchesOf8And32) {
  const Golden g("marian-a");
  const auto sources = random_sources(500);
  TranslateOptions options{.beam = {.beams = 4, .n_best = 2}, .max_new = 12, .sentences = 1};
  const auto alone = translate(g.model, sources, options);
  for (const int64_t sentences : {8, 32}) {
    options.sentences = sentences;
    const auto together = translate(g.model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      ASSERT_EQ(together[i].size(), alone[i].size());
      for (size_t k = 0; k < alone[i].size(); ++k) {
        ASSERT_EQ(together[i][k].ids, alone[i][k].ids) << "sentence " << i;
        ASSERT_EQ(together[i][k].score, alone[i][k].score) << "sentence " << i;
      }
    }
  }
}

// One beam, against the likeliest token of a whole pass without any cache.
TEST(Translate, OneBeamIsGreedy) {
  const Golden g("marian-a");
  const NoGrad quiet;
  const auto sources = random_sources(20);
  const auto found = translate(g.model, sources, {.beam = {.beams = 1}, .max_new = 10});
  for (size_t i = 0; i < sources.size(); ++i) {
    jogak::Run run;
    const std::vector<int64_t> source(sources[i].begin(), sources[i].end());
    const Tensor memory =
        g.model.encode({from_values(source, {1, static_cast<int64_t>(source.size())}), {}}, run);
    std::vector<int64_t> text = {g.model.start};
    while (text.size() <= 10 && (text.size() == 1 || text.back() != g.model.end)) {
      const Tensor ids = from_values(text, {1, static_cast<int64_t>(text.size())});
      const auto scores = to_host<float>(g.model.decode(ids, memory, {}, run));
      const auto last = scores.end() - g.model.decoder.vocab;
      std::vector<float> row(last, scores.end());
      row[static_cast<size_t>(g.model.pad)] = -INFINITY;
      text.push_back(std::max_element(row.begin(), row.end()) - row.begin());
    }
    EXPECT_EQ(found[i][0].ids, Ids(text.begin() + 1, text.end())) << i;
  }
}

TEST(Translate, AnAlignmentIsTheMeanOfCrossAttention) {
  const Golden g("marian-a");
  const auto source = g.sources()[0];
  const Tensor weights = alignment(g.model, source, Ids{49, 51, 47, 0});
  EXPECT_EQ(weights.shape(), (Shape{4, static_cast<int64_t>(source.size())}));
  const auto values = to_host<float>(weights);
  const auto first = to_host<float>(alignment(g.model, source, Ids{49, 51, 47, 0}, 0));
  const auto second = to_host<float>(alignment(g.model, source, Ids{49, 51, 47, 0}, 1));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], (first[i] + second[i]) / 2, 1e-6);
  for (size_t t = 0; t < 4; ++t) {
    double sum = 0;
    for (size_t s = 0; s < source.size(); ++s) sum += values[t * source.size() + s];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  expect_error<UsageError>([&] { alignment(g.model, source, Ids{1}, 7); },
                           "alignment: the decoder has no layer 7");
}

TEST(TranslateErrors, SaysFoundAndWanted) {
  const Golden g("marian-a");
  const auto refuse = [&](const Ids& source, const std::string& message) {
    const std::vector<Ids> one = {source};
    expect_error<UsageError>([&] { translate(g.model, one, {}); }, message);
  };
  refuse({}, "source: found no tokens, wanted at least one");
  refuse({67}, "source: found the token 67, wanted 0 to 66");
  refuse(Ids(31, 1), "source: found 31 tokens, the model reads at most 30");
  EXPECT_TRUE(translate(g.model, std::vector<Ids>{}, {}).empty());
}

}  // namespace
}  // namespace jogak
