// Encoder-decoders against goldens of PyTorch and transformers (tests/goldens/seq2seq.py), and what
// their masks and caches promise: every family.
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/cross_entropy.h"
#include "ops/mul.h"
#include "tests/models/golden.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::GoldenWatch;

struct PairGolden {
  ModelFiles files;
  SafetensorsFile golden;
  Model whole;
  const Seq2SeqModel& model = whole.seq2seq;

  explicit PairGolden(const std::string& name)
      : files(test::golden_dir(name)),
        golden(test::golden_dir(name) + "/golden.safetensors"),
        whole(opened(test::config_json(name))) {}
  Model opened(const Json& config) const {
    const Family& family = family_of(config, "config.json");
    return family.build(config, "config.json", ParamStore::from_files(files, family.names));
  }
  Source source() const {
    return {golden.get("input_ids"), cast(golden.get("attention_mask"), DType::boolean)};
  }
  Tensor logits(const Source& source, const Tensor& ids) const {
    jogak::Run run;
    return model.decode(ids, model.encode(source, run), source.mask, run);
  }
  std::vector<int64_t> lengths() const {
    const Tensor mask = golden.get("attention_mask");
    std::vector<int64_t> out(static_cast<size_t>(mask.dim(0)), 0);
    const auto real = to_host<int64_t>(mask);
    for (size_t i = 0; i < real.size(); ++i) out[i / static_cast<size_t>(mask.dim(1))] += real[i];
    return out;
  }
};

class Seq2SeqGoldens : public testing::TestWithParam<std::string> {};
class Seq2SeqMasks : public testing::TestWithParam<std::string> {};

std::string name_of(const testing::TestParamInfo<std::string>& one) {
  return test::test_name(one.param);
}

TEST_P(Seq2SeqGoldens, LogitsLossGradientsAndWhatHappensInside) {
  PairGolden g(GetParam());
  jogak::Run run;
  GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Source source = g.source();
  const Tensor memory = g.model.encode(source, run), ids = g.golden.get("decoder_input_ids");
  const Tensor logits = g.model.decode(ids, memory, source.mask, run);
  const ModelOutline c =
      family_of(g.whole.config, "config.json").outline(g.whole.config, "config.json");
  EXPECT_EQ(watch.seen, 2 * c.encoder.layers + 1 + 3 * c.decoder.layers + 1);
  const Tensor labels = g.golden.get("labels");
  expect_golden(logits, g.golden.get("logits"), "logits");
  const Tensor loss = cross_entropy(logits, labels);
  expect_golden(loss, g.golden.get("loss"), "loss");
  const ParamStore& store = *g.whole.store;
  test::expect_golden_gradients(store, gradients(loss, store.trained()), g.golden);
  // The loss training takes: summed, through the head in pieces where it has no bias.
  const double tokens = 21;  // labels that count, 8 + 10 + 3
  run.probe = nullptr;
  expect_golden(g.model.loss_sum(source, ids, labels, 0, run),
                full({}, tokens * item(g.golden.get("loss"))), "loss_sum");
}

INSTANTIATE_TEST_SUITE_P(All, Seq2SeqGoldens,
                         testing::ValuesIn(test::goldens_with("decoder_input_ids")), name_of);
INSTANTIATE_TEST_SUITE_P(All, Seq2SeqMasks,
                         testing::ValuesIn(test::goldens_with("decoder_input_ids")), name_of);

std::vector<float> row_bits(const Tensor& logits, int64_t b, int64_t t) {
  const auto all = to_host<float>(logits);
  const int64_t V = logits.dim(2), at = (b * logits.dim(1) + t) * V;
  return {all.begin() + at, all.begin() + at + V};
}

TEST_P(Seq2SeqMasks, AFutureTokenChangesNoEarlierLogit) {
  PairGolden g(GetParam());
  const NoGrad quiet;
  const Tensor before = g.golden.get("decoder_input_ids");
  const Tensor wanted = g.logits(g.source(), before);
  for (int64_t changed = 1; changed < before.dim(1); ++changed) {
    auto ids = to_host<int64_t>(before);
    for (int64_t b = 0; b < before.dim(0); ++b) {
      int64_t& id = ids[b * before.dim(1) + changed];
      id = (id + 7) % 60;
    }
    const Tensor got = g.logits(g.source(), from_values(ids, before.shape()));
    for (int64_t b = 0; b < before.dim(0); ++b) {
      for (int64_t t = 0; t < changed; ++t)
        ASSERT_EQ(row_bits(got, b, t), row_bits(wanted, b, t)) << "changed " << changed;
      EXPECT_NE(row_bits(got, b, changed), row_bits(wanted, b, changed));
    }
  }
}

TEST_P(Seq2SeqMasks, APaddedSourceTokenChangesNoLogit) {
  PairGolden g(GetParam());
  const NoGrad quiet;
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  const auto wanted = to_host<float>(g.logits(source, ids));
  auto tokens = to_host<int64_t>(source.ids);
  const auto real = to_host<int64_t>(g.golden.get("attention_mask"));
  int changed = 0;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (real[i] == 0) tokens[i] = 3 + changed++;
  ASSERT_GT(changed, 0);
  const Tensor got = g.logits({from_values(tokens, source.ids.shape()), source.mask}, ids);
  EXPECT_EQ(to_host<float>(got), wanted);
}

// A padded place of the target, behind the causal mask and before real tokens.
TEST_P(Seq2SeqMasks, APaddedTargetTokenChangesNoOtherLogit) {
  PairGolden g(GetParam());
  const NoGrad quiet;
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  std::vector<int64_t> mask(static_cast<size_t>(ids.count()), 1);
  for (int64_t b = 0; b < ids.dim(0); ++b) mask[b * ids.dim(1) + 2] = 0;
  const auto run_with = [&](int64_t token) {
    auto tokens = to_host<int64_t>(ids);
    for (int64_t b = 0; b < ids.dim(0); ++b) tokens[b * ids.dim(1) + 2] = token;
    jogak::Run run;
    run.key_mask = cast(from_values(mask, ids.shape()), DType::boolean);
    const Tensor memory = g.model.encode({source.ids, source.mask}, run);
    return g.model.decode(from_values(tokens, ids.shape()), memory, source.mask, run);
  };
  const Tensor a = run_with(5), b = run_with(9);
  for (int64_t t = 0; t < ids.dim(1); ++t)
    for (int64_t row = 0; row < ids.dim(0); ++row) {
      if (t == 2)
        EXPECT_NE(row_bits(a, row, t), row_bits(b, row, t));
      else
        EXPECT_EQ(row_bits(a, row, t), row_bits(b, row, t)) << t;
    }
}

TEST_P(Seq2SeqMasks, PaddingBesideALongerSentenceChangesNoBit) {
  PairGolden g(GetParam());
  const NoGrad quiet;
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  const Tensor together = g.logits(source, ids);
  const auto tokens = to_host<int64_t>(source.ids), target = to_host<int64_t>(ids);
  const int64_t S = source.ids.dim(1), T = ids.dim(1), length = g.lengths()[1];
  const std::vector<int64_t> own(tokens.begin() + S, tokens.begin() + S + length);
  const std::vector<int64_t> row(target.begin() + T, target.begin() + 2 * T);
  const Tensor alone = g.logits({from_values(own, {1, length}), {}}, from_values(row, {1, T}));
  for (int64_t t = 0; t < T; ++t) EXPECT_EQ(row_bits(alone, 0, t), row_bits(together, 1, t)) << t;
}

// Token by token over both caches: the bits of the whole pass.
TEST_P(Seq2SeqMasks, TheCachesGiveTheBitsOfTheWholePass) {
  PairGolden g(GetParam());
  const NoGrad quiet;
  const Seq2SeqModel& model = g.model;
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  const Tensor wanted = g.logits(source, ids);
  const auto target = to_host<int64_t>(ids);
  KvCache sources(model.sources), cache(model.decoder.cache);
  jogak::Run run;
  const std::vector<int> of = model.remember(model.encode(source, run), g.lengths(), sources);
  std::vector<int> rows;
  for (int64_t b = 0; b < ids.dim(0); ++b) rows.push_back(cache.add());
  run.cache = &cache, run.sources = &sources;
  for (int64_t t = 0; t < ids.dim(1); ++t) {
    CacheStep step = cache.begin(rows, {1, 1, 1});
    step.sources = sources.over(of);
    run.cache_step = &step;
    std::vector<int64_t> tokens;
    for (int64_t b = 0; b < ids.dim(0); ++b) tokens.push_back(target[b * ids.dim(1) + t]);
    const Tensor got = model.decoder.forward(from_values(tokens, {1, 3}), run);
    for (int64_t b = 0; b < ids.dim(0); ++b)
      ASSERT_EQ(row_bits(got, 0, b), row_bits(wanted, b, t)) << "row " << b << ", token " << t;
  }
}

}  // namespace
}  // namespace jogak
