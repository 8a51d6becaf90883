// Every causal decoder against its goldens of PyTorch and transformers (tests/goldens/make.py,
// make_llama.py, make_falcon.py ..), and what all of them promise.
#include "tests/models/decoder.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "base/random.h"
#include "nn/rope.h"
#include "ops/mul.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

std::vector<const Family*> decoders() {
  std::vector<const Family*> out;
  for (const Family& family : families()) {
    const Json config = family.complete(Json::object(family.presets.at(0).config), "preset");
    if (family.outline(config, "preset").wiring == ModelOutline::Wiring::decoder)
      out.push_back(&family);
  }
  return out;
}

std::vector<std::string> decoder_goldens() {
  std::vector<std::string> out;
  for (const Family* family : decoders())
    for (const std::string& name : test::goldens_of(family->model_type)) out.push_back(name);
  return out;
}

class DecoderGoldens : public testing::TestWithParam<std::string> {
 protected:
  test::DecoderGolden g{GetParam()};
};

class PaddedDecoders : public DecoderGoldens {};
class RotaryDecoders : public DecoderGoldens {};
class CachedDecoders : public DecoderGoldens {};

TEST_P(DecoderGoldens, LogitsLossGradientsAndWhatHappensInside) { g.expect_forward(); }

// Where a token is padding its logits say nothing, and the golden has 0.
TEST_P(PaddedDecoders, GiveTransformersNumbersForRealTokens) {
  jogak::Run run;
  const Tensor real = g.golden.get("padded.attention_mask");
  run.key_mask = cast(real, DType::boolean);
  const Tensor logits = g.logits(g.golden.get("padded.input_ids"), run);
  const Shape one{real.dim(0), real.dim(1), 1};
  const Tensor counted = mul(logits.detach(), cast(real, DType::f32).view(one, row_major(one), 0));
  test::expect_golden(counted, g.golden.get("padded.logits"), "padded.logits");
  const Tensor loss = test::shifted_loss(logits, g.golden.get("padded.labels"));
  test::expect_golden(loss, g.golden.get("padded.loss"), "padded.loss");
  test::expect_golden(gradients(loss, g.store().trained())[0],
                      g.golden.get("padded.embedding_grad"), "padded.embedding_grad");
}

// Relative to each frequency: the fast pairs of a long text must be right, too.
TEST_P(RotaryDecoders, TurnByTransformersFrequencies) {
  const auto wanted = to_host<float>(g.golden.get("rope.frequencies"));
  const RopeConfig rope = read_rope(Fields(g.model.config, "config.json"),
                                    g.model.config.find("max_position_embeddings")->integer());
  const auto got = rope_frequencies(rope, 2 * static_cast<int64_t>(wanted.size()),
                                    g.golden.get("input_ids").dim(1));
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], 3e-7 * wanted[i]) << "pair " << i;
  EXPECT_FLOAT_EQ(rope_factor(rope), item(g.golden.get("rope.factor")));
}

// With a cache, in one pass or token by token, beside others or alone: the same bits.
TEST_P(CachedDecoders, GiveTheBitsOfTheWholePass) { g.expect_same_bits_from_the_cache(); }

// Where frequencies follow from the length so far, a whole pass over a long text is another thing.
bool stretches(const Json& config) {
  for (const char* key : {"rope_parameters", "rope_scaling"})
    for (const char* kind : {"rope_type", "type"}) {
      const Json* const rope = config.find(key);
      const Json* const name = rope && rope->is_object() ? rope->find(kind) : nullptr;
      if (name && (name->text() == "dynamic" || name->text() == "longrope")) return true;
    }
  return false;
}

std::vector<std::string> of_fixed_frequencies() {
  std::vector<std::string> out;
  for (const std::string& name : decoder_goldens())
    if (!stretches(test::config_json(name))) out.push_back(name);
  return out;
}

std::string name_of(const testing::TestParamInfo<std::string>& one) {
  return test::test_name(one.param);
}

INSTANTIATE_TEST_SUITE_P(All, DecoderGoldens, testing::ValuesIn(decoder_goldens()), name_of);
INSTANTIATE_TEST_SUITE_P(All, PaddedDecoders,
                         testing::ValuesIn(test::goldens_with("padded.input_ids")), name_of);
INSTANTIATE_TEST_SUITE_P(All, RotaryDecoders,
                         testing::ValuesIn(test::goldens_with("rope.frequencies")), name_of);
INSTANTIATE_TEST_SUITE_P(All, CachedDecoders, testing::ValuesIn(of_fixed_frequencies()), name_of);

TEST(Decoders, TheCacheGivesTheSameBitsAcrossPages) {
  std::vector<int64_t> ids;
  for (uint64_t i = 0; i < 70; ++i) ids.push_back(static_cast<int64_t>(Rng(i).below(50)));
  for (const Family* family : decoders())
    test::expect_same_bits_from_the_cache(
        test::fresh_model(family->name, {{"vocab_size", 50}, {"initializer_range", 0.3}}), ids,
        family->name);
}

// Dropout wherever a golden's configuration knows some, and every kind of block and position; but
// for Mixtral, whose experts are chosen on the host.
TEST(Decoders, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  for (const Family* family : decoders()) {
    if (family->model_type == std::string("mixtral")) continue;
    for (const std::string& name : test::goldens_of(family->model_type)) {
      SCOPED_TRACE(name);
      std::vector<Json::Member> settings = test::config_json(name).members();
      for (auto& [key, value] : settings)
        if (key.find("drop") != std::string::npos) value = 0.1;
      settings.emplace_back("vocab_size", 31);
      test::expect_untouched_by_the_host(family->name, settings);
    }
  }
}

TEST(Decoders, AStopRequestIsSeenAtALayer) {
  for (const Family* family : decoders()) {
    const std::atomic<bool> stop{true};
    jogak::Run run;
    run.stop = &stop;
    const Model model = test::fresh_model(family->name, {{"vocab_size", 50}});
    EXPECT_THROW(model.causal.forward(zeros({1, 3}, DType::i64), run), Stopped) << family->name;
  }
}

}  // namespace
}  // namespace jogak
