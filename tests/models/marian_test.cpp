// The encoder-decoder against goldens of PyTorch and transformers (tests/goldens/make_marian.py),
// and what its masks promise.
#include "models/marian.h"

#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "ops/cross_entropy.h"
#include "ops/layer_norm.h"
#include "ops/mul.h"
#include "tests/models/golden.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::golden_dir;
using test::GoldenWatch;

struct Golden : test::ModelGolden<Marian> {
  using ModelGolden::ModelGolden;
  Source source() const {
    return {golden.get("input_ids"), cast(golden.get("attention_mask"), DType::boolean)};
  }
  Tensor logits(const Source& source, const Tensor& ids) const {
    jogak::Run run;
    return model.logits(model.hidden(ids, model.encode(source, run), source.mask, run));
  }
};

class MarianGoldens : public testing::TestWithParam<const char*> {};

TEST_P(MarianGoldens, LogitsLossGradientsAndWhatHappensInside) {
  Golden g(GetParam());
  jogak::Run run;
  GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Source source = g.source();
  const Tensor memory = g.model.encode(source, run);
  const Tensor hidden = g.model.hidden(g.golden.get("decoder_input_ids"), memory, source.mask, run);
  const MarianConfig& c = g.model.config;
  EXPECT_EQ(watch.seen, 2 * c.encoder.layers + 1 + 3 * c.decoder.layers + 1);
  const Tensor logits = g.model.logits(hidden), labels = g.golden.get("labels");
  expect_golden(logits, g.golden.get("logits"), "logits");
  const Tensor loss = cross_entropy(logits, labels);
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
  // The loss training takes: summed, through the head in pieces where it has no bias.
  const double tokens = 21;  // labels that count, 8 + 10 + 3
  expect_golden(g.model.loss_sum(hidden, labels, 0), full({}, tokens * item(g.golden.get("loss"))),
                "loss_sum");
}

INSTANTIATE_TEST_SUITE_P(All, MarianGoldens, testing::Values("marian-a", "marian-b", "marian-c"));

TEST(Marian, WhatWasReadIsWrittenBackByteForByte) {
  for (const char* name : {"marian-a", "marian-b"}) {
    Golden g(name);
    const std::string path = testing::TempDir() + "/marian-again.safetensors";
    save_safetensors(path, to_file(g.store), {{"format", "pt"}});
    EXPECT_EQ(read_file(path), read_file(golden_dir(name) + "/model.safetensors")) << name;
  }
}

// No key of a configuration says it; in the goldens, whose rows are wide apart, it is too small to
// see.
TEST(Marian, NearlyEqualFeaturesAreNormalisedByTheEpsOfTransformers) {
  const Golden g("marian-a");
  const MarianEncoderLayer& e = g.model.encoder[0];
  const MarianDecoderLayer& d = g.model.decoder[0];
  const Tensor x = randn({3, g.model.config.width}, Rng(4)) * 1e-3;
  for (const LayerNorm* norm :
       {&e.self_attn_layer_norm, &e.final_layer_norm, &d.self_attn_layer_norm,
        &d.encoder_attn_layer_norm, &d.final_layer_norm})
    EXPECT_EQ(to_host<float>((*norm)(x)),
              to_host<float>(layer_norm(x, norm->weight, norm->bias, 1e-5)));
}

std::vector<float> row_bits(const Tensor& logits, int64_t b, int64_t t) {
  const auto all = to_host<float>(logits);
  const int64_t V = logits.dim(2), at = (b * logits.dim(1) + t) * V;
  return {all.begin() + at, all.begin() + at + V};
}

TEST(MarianMasks, AFutureTokenChangesNoEarlierLogit) {
  Golden g("marian-a");
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

TEST(MarianMasks, APaddedSourceTokenChangesNoLogit) {
  Golden g("marian-a");
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
TEST(MarianMasks, APaddedTargetTokenChangesNoOtherLogit) {
  Golden g("marian-a");
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
    return g.model.logits(
        g.model.hidden(from_values(tokens, ids.shape()), memory, source.mask, run));
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

TEST(MarianMasks, PaddingBesideALongerSentenceChangesNoBit) {
  Golden g("marian-a");
  const NoGrad quiet;
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  const Tensor together = g.logits(source, ids);
  const auto tokens = to_host<int64_t>(source.ids), target = to_host<int64_t>(ids);
  const int64_t S = source.ids.dim(1), T = ids.dim(1), length = 4;  // row 1
  const std::vector<int64_t> own(tokens.begin() + S, tokens.begin() + S + length);
  const std::vector<int64_t> row(target.begin() + T, target.begin() + 2 * T);
  const Tensor alone = g.logits({from_values(own, {1, length}), {}}, from_values(row, {1, T}));
  for (int64_t t = 0; t < T; ++t) EXPECT_EQ(row_bits(alone, 0, t), row_bits(together, 1, t)) << t;
}

// Token by token over both caches: the bits of the whole pass.
TEST(Marian, TheCachesGiveTheBitsOfTheWholePass) {
  Golden g("marian-a");
  const NoGrad quiet;
  const Seq2SeqModel model =
      seq2seq_of(std::shared_ptr<const Marian>(&g.model, [](const Marian*) {}));
  const Source source = g.source();
  const Tensor ids = g.golden.get("decoder_input_ids");
  const Tensor wanted = g.logits(source, ids);
  const auto target = to_host<int64_t>(ids);
  KvCache sources(model.sources), cache(model.decoder.cache);
  jogak::Run run;
  const std::vector<int> of = model.remember(model.encode(source, run), {9, 4, 7}, sources);
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

TEST(Marian, WrongSettingsAreNamed) {
  const auto read = [](const char* text) {
    return read_config<MarianConfig>(parse_json(text, "config.json"), "config.json");
  };
  EXPECT_THROW(read(R"({"d_model": 10, "encoder_attention_heads": 3})"), FormatError);
  EXPECT_THROW(read(R"({"vocab_size": 10, "decoder_vocab_size": 9})"), FormatError);
  EXPECT_THROW(read(R"({"vocab_size": 10})"), FormatError);  // pad_token_id 58100 is no token
  EXPECT_EQ(read(R"({"eos_token_id": [5, 1]})").end, 5) << "of several the first";
  EXPECT_THROW(read(R"({"eos_token_id": []})"), FormatError);
}

}  // namespace
}  // namespace jogak
