// Translation with a real model: what transformers wrote with the same weights, and that a sentence
// does not depend on its neighbours.
#include "generate/translate.h"

#include <cmath>

#include "autograd/autograd.h"
#include "generate/plan.h"
#include "generate/settings_keys.h"
#include "io/safetensors.h"
#include "models/families.h"
#include "ops/pick.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

constexpr int64_t kNew = 5;  // NEW_TOKENS of seq2seq.py

struct Golden {
  std::string folder;
  Json config;
  ModelFiles files;
  Model whole;
  const Seq2SeqModel& model = whole.seq2seq;
  SafetensorsFile golden;

  explicit Golden(const std::string& name)
      : folder(test::golden_dir(name)),
        config(read_json_file(folder + "/config.json")),
        files(folder),
        whole(opened()),
        golden(folder + "/golden.safetensors") {}
  Model opened() const {
    const Family& family = family_of(config, folder);
    return family.build(config, folder, ParamStore::from_files(files, family.names));
  }
  // As the directory says, and transformers was not told to leave the padding out.
  TranslateOptions options(int64_t beams) const {
    const std::string file = folder + "/generation_config.json";
    GenerationSettings asked;
    asked.num_beams = asked.num_return_sequences = beams;
    const GenerationPlan plan = plan_of(merged(
        read_generation_file(read_json_file(file), file, model.decoder.vocab).settings, asked, {}));
    return {.beam = plan.beam,
            .ends = plan.beam.eos_ids,
            .start = plan.start,
            .may_pad = true,
            .max_new = kNew};
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

class Seq2SeqBeams : public testing::TestWithParam<std::string> {};

TEST_P(Seq2SeqBeams, AreTransformersTokenByToken) {
  const Golden g(GetParam());
  const auto sources = g.sources();
  const auto greedy = translate(g.model, sources, g.options(1));
  const auto wanted = g.rows("generate.greedy");
  for (size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(greedy[i][0].ids, wanted[i]) << i;
  double worst = 0;
  for (int n = 0; g.golden.has(text_of("generate.", n, ".ids")); ++n) {
    const std::string name = text_of("generate.", n);
    TranslateOptions options = g.options(4);
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

INSTANTIATE_TEST_SUITE_P(All, Seq2SeqBeams,
                         testing::ValuesIn(test::goldens_with("generate.greedy")),
                         [](const auto& one) { return test::test_name(one.param); });

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

void expect_same_in_any_company(const Golden& g, TranslateOptions options, size_t count) {
  const auto sources = random_sources(count);
  options.max_new = 12, options.sentences = 1;
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

TEST(Translate, TheSameAloneAndInBatchesOf8And32) {
  const Golden g("marian-a");
  expect_same_in_any_company(g, {.beam = {.beams = 4, .n_best = 2}}, 500);
}

TEST(Translate, WithRulesAndDrawingToo) {
  const Golden g("marian-a");
  TranslateOptions options{.beam = {.beams = 3, .n_best = 3}};
  ScoreRules& rules = options.beam.rules;
  rules.repetition_penalty = 1.4, rules.encoder_repetition_penalty = 1.2;
  rules.no_repeat_ngram_size = 2, rules.encoder_no_repeat_ngram_size = 3;
  rules.sequence_bias = {{{5}, 1.5}, {{7, 5}, -2}};
  rules.min_new_tokens = 4, rules.forced_eos_token_ids = {0};
  options.beam.renormalize = true;
  expect_same_in_any_company(g, options, 100);
  options.beam.sampling = {.temperature = 0.8, .top_k = 20, .typical_p = 0.9, .seed = 3};
  expect_same_in_any_company(g, options, 60);  // beams that are drawn
  options.beam.beams = 1;
  expect_same_in_any_company(g, options, 60);  // three drawn texts each
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

// The cross-attention of a text by itself, [heads, T, S] of each layer: an own pass.
struct CrossMaps : Probe {
  std::vector<std::vector<float>> layers;
  int64_t heads = 0;
  bool wants_attention() const override { return true; }
  void see(std::string_view name, int64_t, const Tensor& value) override {
    if (name != "cross_attentions") return;
    layers.push_back(to_host<float>(value));
    heads = value.dim(1);
  }
};

TEST(Translate, AnAlignmentIsTheMeanOfCrossAttention) {
  const Golden g("marian-a");
  const auto sources = g.sources();
  const auto texts_with = [&](int64_t layer) {
    return translate(g.model, sources,
                     {.beam = {.beams = 3, .n_best = 2},
                      .max_new = 6,
                      .alignment = true,
                      .alignment_layer = layer});
  };
  const auto all = texts_with(-1), second = texts_with(1);
  for (size_t i = 0; i < sources.size(); ++i) {
    for (size_t rank = 0; rank < 2; ++rank) {
      const Ids& ids = all[i][rank].ids;
      std::vector<int64_t> read = {g.model.start}, source(sources[i].begin(), sources[i].end());
      read.insert(read.end(), ids.begin(), ids.end() - 1);
      const auto S = static_cast<int64_t>(source.size()), T = static_cast<int64_t>(ids.size());
      CrossMaps maps;
      jogak::Run run;
      run.probe = &maps;
      const NoGrad quiet;
      g.model.decode(from_values(read, {1, T}),
                     g.model.encode({from_values(source, {1, S}), {}}, run), {}, run);
      ASSERT_EQ(all[i][rank].alignment.shape(), (Shape{T, S}));
      const auto mean = to_host<float>(all[i][rank].alignment);
      const auto last = to_host<float>(second[i][rank].alignment);
      for (size_t at = 0; at < mean.size(); ++at) {
        double sums[2] = {};
        for (size_t layer = 0; layer < 2; ++layer)
          for (int64_t h = 0; h < maps.heads; ++h)
            sums[layer] += maps.layers[layer][static_cast<size_t>(h) * mean.size() + at];
        EXPECT_NEAR(mean[at], (sums[0] + sums[1]) / static_cast<double>(2 * maps.heads), 1e-6);
        EXPECT_NEAR(last[at], sums[1] / static_cast<double>(maps.heads), 1e-6);
      }
    }
  }
  expect_error<UsageError>([&] { texts_with(7); }, "alignment: the decoder has no layer 7");
}

// Sources are encoded once, and the texts read back together, whatever their number.
TEST(Translate, AlignmentsCostOnePassForAll) {
  const Golden g("marian-a");
  Seq2SeqModel counted = g.model;
  int encoded = 0, looked = 0;
  counted.encode = [&](const Source& source, jogak::Run& run) {
    ++encoded;
    return g.model.encode(source, run);
  };
  counted.hidden = [&](const Tensor& ids, const Tensor& memory, const Tensor& mask,
                       jogak::Run& run) {
    ++looked;
    return g.model.hidden(ids, memory, mask, run);
  };
  counted.decode = nullptr;
  const auto sources = random_sources(20);
  translate(counted, sources, {.beam = {.beams = 2}, .max_new = 6, .alignment = true});
  EXPECT_EQ(encoded, 1);
  EXPECT_EQ(looked, 1);
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
