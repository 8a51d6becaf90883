// The laboratory: every choice by value (goldens of tests/goldens/make_lab.py), by gradient against
// central differences, through the caches, and what it refuses. Its encoder-decoders are walked by
// seq2seq_test.cpp, too.
#include "models/lab/lab.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "base/random.h"
#include "models/lab/gru.h"
#include "ops/cross_entropy.h"
#include "tests/models/decoder.h"
#include "tests/models/golden.h"
#include "tests/support/encoder_golden.h"

namespace jogak {
namespace {

using test::expect_golden;

TEST(LabGoldens, DecodersGiveTheReferencesNumbers) {
  for (const char* name : {"lab-b", "lab-c", "lab-g"}) {
    SCOPED_TRACE(name);
    const test::DecoderGolden g(name);
    g.expect_forward();
    g.expect_same_bits_from_the_cache();
  }
  // Without the mask a whole pass sees what a cache cannot know yet.
  test::DecoderGolden("lab-i").expect_forward();
}

TEST(LabGoldens, AnEncoderAloneGivesTheReferencesNumbers) {
  const test::EncoderGolden g("lab-f");
  jogak::Run run;
  test::GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Tensor logits = g.model.encoder.predict(g.input, run);
  EXPECT_EQ(watch.seen, 2 * g.model.layers + 1);
  const Tensor loss = g.model.encoder.loss(logits, g.golden.get("labels"), {});
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(*g.model.store, gradients(loss, g.model.store->trained()),
                                g.golden);
}

struct PairGolden {
  ModelFiles files;
  SafetensorsFile golden;
  Model model;
  explicit PairGolden(const std::string& name)
      : files(test::golden_dir(name)), golden(test::golden_dir(name) + "/gru.safetensors") {
    const Json config = test::config_json(name);
    model = family_named("lab").build(config, "config.json",
                                      ParamStore::from_files(files, family_named("lab").names));
  }
  Source source() const {
    return {golden.get("input_ids"), cast(golden.get("attention_mask"), DType::boolean)};
  }
};

// torch.nn.GRU has the same equations; its padding is cut off, ours leaves the state as it was.
TEST(LabGoldens, TheRecurrentModelIsThatOfTorch) {
  for (const char* name : {"lab-gru", "lab-gru-attention"}) {
    SCOPED_TRACE(name);
    const PairGolden g(name);
    jogak::Run run;
    const Source source = g.source();
    const Tensor memory = g.model.seq2seq.encode(source, run);
    const Tensor logits =
        g.model.seq2seq.decode(g.golden.get("decoder_input_ids"), memory, source.mask, run);
    expect_golden(logits, g.golden.get("logits"), "logits");
    const Tensor loss = cross_entropy(logits, g.golden.get("labels"));
    expect_golden(loss, g.golden.get("loss"), "loss");
    test::expect_golden_gradients(*g.model.store, gradients(loss, g.model.store->trained()),
                                  g.golden);
  }
}

// Beams fork sequences and go on token by token: states lie in the cache where others have keys.
TEST(Gru, TokenByTokenItSaysWhatItSaysInOnePass) {
  for (const char* name : {"lab-gru", "lab-gru-attention"}) {
    SCOPED_TRACE(name);
    const PairGolden g(name);
    const NoGrad quiet;
    const Seq2SeqModel& model = g.model.seq2seq;
    const std::vector<int64_t> lengths = {9, 4, 7};
    const Tensor ids = g.golden.get("decoder_input_ids");
    const auto target = to_host<int64_t>(ids);
    KvCache sources(model.sources), cache(model.decoder.cache);
    jogak::Run run;
    const std::vector<int> of = model.remember(model.encode(g.source(), run), lengths, sources);
    std::vector<int> rows;
    for (int b = 0; b < 3; ++b) rows.push_back(cache.add());
    run.cache = &cache, run.sources = &sources;
    const int64_t T = ids.dim(1), V = model.decoder.vocab;
    const auto wanted = to_host<float>(g.golden.get("logits"));
    for (int64_t t = 0; t < T;) {
      const int64_t count = t == 0 ? 2 : 1;  // the first two at once
      CacheStep step = cache.begin(rows, {count, count, count});
      std::vector<int> each;
      std::vector<int64_t> tokens;
      for (size_t b = 0; b < 3; ++b)
        for (int64_t i = 0; i < count; ++i) {
          each.push_back(of[b]);
          tokens.push_back(target[static_cast<size_t>(static_cast<int64_t>(b) * T + t + i)]);
        }
      step.sources = sources.over(each);
      run.cache_step = &step;
      const auto got =
          to_host<float>(model.decoder.forward(from_values(tokens, {1, 3 * count}), run));
      for (int64_t b = 0; b < 3; ++b)
        for (int64_t i = 0; i < count; ++i)
          for (int64_t v = 0; v < V; ++v)
            ASSERT_NEAR(got[static_cast<size_t>((b * count + i) * V + v)],
                        wanted[static_cast<size_t>((b * T + t + i) * V + v)], 2e-5)
                << "row " << b << ", token " << t + i;
      t += count;
    }
  }
}

int64_t count_of(std::vector<Json::Member> settings) {
  settings.insert(settings.begin(), {{"vocab_size", 60}, {"d_model", 32}, {"heads", 4}});
  return test::fresh_model("lab", settings).store->count();
}

TEST(Gru, HasAsManyParametersAsTheTransformerItIsComparedWith) {
  const int64_t transformer = count_of({});
  for (const char* mixer : {"gru", "gru-attention"}) {
    const int64_t found = count_of({{"mixer", mixer}});
    EXPECT_LE(found, transformer) << mixer;
    EXPECT_GT(found, transformer - transformer / 20) << mixer;  // a unit more would be too many
  }
}

// One direction through all weights at once: the slope along it is the sum of gradient times step.
// In double, with a fixed seed; a kink of ReLU within 1e-5 of a value would show as an error.
void expect_slope(const std::vector<Json::Member>& settings, const std::string& what) {
  SCOPED_TRACE(what);
  const Family& family = family_named("lab");
  Json config = Json::object({{"vocab_size", 19},
                              {"d_model", 16},
                              {"heads", 2},
                              {"d_ff", 24},
                              {"encoder_layers", 2},
                              {"decoder_layers", 2}});
  for (const auto& [key, value] : settings) config.set(key, value);
  const Model model = family.build(family.complete(config, "settings"), "settings",
                                   ParamStore::fresh(5, DType::f64));
  const Tensor ids = from_values(std::vector<int64_t>{3, 7, 7, 1, 18, 4, 9, 2, 11, 5}, {2, 5});
  std::vector<uint8_t> real(10, 1);
  real[9] = 0;
  const Tensor mask = cast(from_values(real, {2, 5}), DType::boolean);
  const auto loss_of = [&] {
    jogak::Run run;
    run.training = true;  // BatchNorm learns its statistics; nothing is dropped
    if (model.encodes())
      return model.encoder.loss(
          model.encoder.predict({.values = ids, .mask = mask}, run),
          model.encoder.labels.names.empty() || model.encoder.task == EncoderTask::fill
              ? ids
              : from_values(std::vector<int64_t>{0, 1}, {2}),
          {.reduction = Reduction::sum});
    if (!model.translates()) return model.loss_sum(ids, ids, 0.1, run);
    return model.seq2seq.loss_sum({ids, mask}, ids, ids, 0.1, run);
  };
  const std::vector<Tensor> trained = model.store->trained();
  const std::vector<Tensor> grads = gradients(loss_of(), trained);
  std::vector<std::vector<double>> start, way;
  double slope = 0;
  for (size_t i = 0; i < trained.size(); ++i) {
    start.push_back(to_host<double>(trained[i].detach()));
    way.push_back(to_host<double>(randn(trained[i].shape(), Rng(100 + i))));
    const auto g = to_host<double>(grads[i]);
    for (size_t j = 0; j < g.size(); ++j) slope += g[j] * way[i][j];
  }
  const auto at = [&](double step) {
    const NoGrad quiet;
    for (size_t i = 0; i < trained.size(); ++i) {
      std::vector<double> moved = start[i];
      for (size_t j = 0; j < moved.size(); ++j) moved[j] += step * way[i][j];
      copy_into(trained[i].detach(), from_values(moved, trained[i].shape()));
    }
    return item(loss_of());
  };
  constexpr double kStep = 1e-6;
  const double measured = (at(kStep) - at(-kStep)) / (2 * kStep);
  EXPECT_NEAR(measured, slope, 1e-4 * std::abs(slope) + 1e-6);
}

TEST(LabGradients, OfEveryChoiceAgreeWithCentralDifferences) {
  const std::pair<const char*, std::vector<Json::Member>> choices[] = {
      {"2017", {}},
      {"learned", {{"positions", "learned"}, {"position_join", "concatenate"}}},
      {"rope", {{"positions", "rope"}, {"norm", "rms"}, {"norm_place", "pre"}}},
      {"alibi", {{"positions", "alibi"}, {"wiring", "decoder"}}},
      {"relative", {{"positions", "relative"}, {"feed_forward", "gelu"}}},
      {"index", {{"positions", "index"}, {"position_join", "concatenate"}}},
      {"none", {{"positions", "none"}, {"feed_forward", "none"}}},
      {"batch", {{"norm", "batch"}, {"feed_forward", "silu"}}},
      {"no norm", {{"norm", "none"}, {"feed_forward", "swiglu"}}},
      {"widths", {{"d_k", 4}, {"d_v", 6}, {"heads", 4}, {"kv_heads", 2}}},
      {"one matrix", {{"one_qkv_matrix", true}, {"qkv_bias", false}}},
      {"same layer", {{"cross_attention_from", "same"}, {"norm_place", "pre"}}},
      {"unscaled", {{"scale_scores", false}, {"wiring", "decoder"}, {"causal_mask", false}}},
      {"no residual", {{"residual", false}, {"tie_word_embeddings", false}}},
      {"apart", {{"share_encoder_decoder_embeddings", false}}},
      {"encoder", {{"wiring", "encoder"}, {"positions", "relative"}}},
      {"classifier", {{"wiring", "encoder"}, {"num_labels", 2}}},
      {"gru", {{"mixer", "gru"}, {"gru_width", 9}}},
      {"gru-attention", {{"mixer", "gru-attention"}, {"gru_width", 9}}},
  };
  for (const auto& [what, settings] : choices) expect_slope(settings, what);
}

Tensor counted_ids(int64_t length) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < length; ++i) ids.push_back(i % 11);
  return from_values(ids, {1, length});
}

TEST(LabPositions, ALearnedTableRefusesALongerTextAndSinusoidsGoOn) {
  for (const char* kind : {"learned", "sinusoidal", "rope", "alibi", "relative", "index", "none"}) {
    const Model model = test::fresh_model("lab", {{"vocab_size", 11},
                                                  {"wiring", "decoder"},
                                                  {"positions", kind},
                                                  {"max_position_embeddings", 8}});
    jogak::Run run;
    if (kind != std::string("learned")) {
      EXPECT_NO_THROW(model.causal.forward(counted_ids(12), run)) << kind;
      continue;
    }
    try {
      model.causal.forward(counted_ids(12), run);
      FAIL() << "a longer text was read";
    } catch (const ShapeError& refused) {
      EXPECT_STREQ(refused.what(), "lab: 12 tokens, but the learned table has positions for 8");
    }
  }
}

// Beyond the table sinusoids are what a longer table has, to the bit, and so are cached tokens.
TEST(LabPositions, SinusoidsBeyondTheirLengthAreThoseOfALongerTable) {
  const auto logits = [](int64_t context) {
    const Model model = test::fresh_model(
        "lab", {{"vocab_size", 11}, {"wiring", "decoder"}, {"max_position_embeddings", context}});
    std::vector<int64_t> ids = to_host<int64_t>(counted_ids(70));
    test::expect_same_bits_from_the_cache(model, ids, text_of("context ", context));
    jogak::Run run;
    return to_host<float>(model.causal.forward(counted_ids(70), run));
  };
  EXPECT_EQ(logits(16), logits(512));
}

TEST(LabMask, WithoutItAPositionSeesWhatComesAfterIt) {
  const auto first = [](bool masked, int64_t last) {
    const Model model = test::fresh_model(
        "lab", {{"vocab_size", 11}, {"wiring", "decoder"}, {"causal_mask", masked}});
    jogak::Run run;
    const auto logits = to_host<float>(
        model.causal.forward(from_values(std::vector<int64_t>{1, 2, last}, {1, 3}), run));
    return std::vector<float>(logits.begin(), logits.begin() + 11);
  };
  EXPECT_EQ(first(true, 3), first(true, 4));
  EXPECT_NE(first(false, 3), first(false, 4));
}

TEST(LabErrors, WhatCannotBeIsRefusedByItsKey) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"wiring": "both"})", "\"wiring\""},
      {R"({"positions": "rope", "position_join": "concatenate"})", "\"position_join\""},
      {R"({"positions": "rope", "d_k": 5})", "\"d_k\""},
      {R"({"heads": 3})", "\"heads\""},
      {R"({"heads": 4, "kv_heads": 3})", "\"kv_heads\""},
      {R"({"heads": 4, "kv_heads": 2, "one_qkv_matrix": true})", "\"kv_heads\""},
      {R"({"d_k": 8, "d_v": 4, "one_qkv_matrix": true})", "\"d_v\""},
      {R"({"encoder_layers": 1, "cross_attention_from": "same"})", "\"cross_attention_from\""},
      {R"({"mixer": "gru", "wiring": "decoder"})", "\"mixer\""},
      {R"({"mixer": "gru", "encoder_layers": 3})", "\"decoder_layers\""},
      {R"({"decoder_vocab_size": 9})", "\"decoder_vocab_size\""},
      {R"({"norm": "group"})", "\"norm\""},
  };
  for (const auto& [text, key] : wrong) try {
      read_config<LabConfig>(parse_json(text, "config.json"), "config.json");
      ADD_FAILURE() << text << " was accepted";
    } catch (const FormatError& refused) {
      EXPECT_NE(std::string(refused.what()).find(key), std::string::npos) << refused.what();
    }
}

}  // namespace
}  // namespace jogak
