// Generation with a real model: what transformers wrote with the same weights, and that a text
// does not depend on its neighbours.
#include "generate/batcher.h"
#include "generate/beam.h"
#include "io/safetensors.h"
#include "models/families.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

Model opened(const std::string& folder) {
  const Json config = read_json_file(folder + "/config.json");
  const Family& family = family_of(config, folder);
  const ModelFiles files(folder);
  return family.build(config, folder, ParamStore::from_files(files, family.names));
}

struct Golden {
  SafetensorsFile golden;
  Model opened_model;

  explicit Golden(const std::string& name)
      : golden(test::golden_dir(name) + "/golden.safetensors"),
        opened_model(opened(test::golden_dir(name))) {}

  const CausalModel& model() const { return opened_model.causal; }
  // "generate.0", "generate.1", ..
  std::vector<std::string> prompts() const {
    std::vector<std::string> out;
    while (golden.has(text_of("generate.", out.size(), ".input_ids")))
      out.push_back(text_of("generate.", out.size()));
    return out;
  }
  Ids ids(const std::string& name) const {
    const std::vector<int64_t> wide = to_host<int64_t>(golden.get(name));
    return {wide.begin(), wide.end()};
  }
};

class DecoderGolden : public testing::TestWithParam<std::string> {
 protected:
  Golden golden{GetParam()};
  const CausalModel& model = golden.model();
};

TEST_P(DecoderGolden, GreedyTextIsTransformers) {
  for (const std::string& name : golden.prompts()) {
    GenerateRequest request{.prompt = golden.ids(name + ".input_ids"), .max_new = 12};
    const Generated text = generate(model, nullptr, request);
    EXPECT_EQ(text.ids, golden.ids(name + ".greedy")) << name;
    EXPECT_EQ(text.finish_reason, FinishReason::length);
    const auto beam = beam_search(model, request.prompt, {.beams = 1, .max_new = 12});
    EXPECT_EQ(beam.at(0).ids, text.ids) << "one beam is greedy";
  }
}

TEST_P(DecoderGolden, BeamsAreTransformers) {
  double worst = 0;
  for (const std::string& name : golden.prompts()) {
    for (const bool with_end : {false, true}) {
      const std::string kind = name + (with_end ? ".beam_eos" : ".beam");
      SCOPED_TRACE(kind);
      BeamOptions options{.beams = 4, .n_best = 4, .max_new = 12};
      if (with_end) options.eos_ids = golden.ids("generate.eos_id");
      const auto found = beam_search(model, golden.ids(name + ".input_ids"), options);
      const Ids wanted = golden.ids(kind + ".ids");  // 4 rows of 12, -1 after the end token
      const auto scores = to_host<double>(golden.golden.get(kind + ".scores"));
      ASSERT_EQ(found.size(), 4u);
      for (size_t row = 0; row < 4; ++row) {
        Ids text(wanted.begin() + static_cast<ptrdiff_t>(row * 12),
                 wanted.begin() + static_cast<ptrdiff_t>(row * 12 + 12));
        std::erase(text, -1);
        EXPECT_EQ(found[row].ids, text) << row;
        EXPECT_NEAR(found[row].score, scores[row], 1e-4) << row;
        worst = std::max(worst, std::abs(found[row].score - scores[row]));
      }
    }
  }
  RecordProperty("largest_score_difference", std::to_string(worst));
  std::printf("%s: beam scores differ by at most %.2g\n", GetParam().c_str(), worst);
}

INSTANTIATE_TEST_SUITE_P(Models, DecoderGolden,
                         testing::ValuesIn(test::goldens_with("generate.0.beam.ids",
                                                              "decoder_input_ids")),
                         [](const auto& one) { return test::test_name(one.param); });

// Prompts shorter and longer than a page of the cache, greedy and drawn.
std::vector<Generated> two_hundred(const CausalModel& model, int together) {
  Batcher batcher(model, nullptr, {.sequences = together});
  std::vector<int64_t> handles;
  for (uint64_t i = 0; i < 200; ++i) {
    Rng rng(i);
    GenerateRequest request;
    const auto longest = static_cast<uint64_t>(model.trained - 12);
    for (uint64_t n = 1 + rng.below(longest); n > 0; --n)
      request.prompt.push_back(static_cast<int>(rng.below(static_cast<uint64_t>(model.vocab))));
    request.max_new = 1 + static_cast<int64_t>(rng.below(12));
    request.eos_ids = {7};
    if (i % 2) request.sampling = {.temperature = 1, .top_k = 20, .top_p = 0.95, .seed = i};
    handles.push_back(batcher.add(std::move(request)));
  }
  batcher.finish_all();
  std::vector<Generated> out;
  for (const int64_t handle : handles) out.push_back(batcher.take(handle));
  return out;
}

void expect_same_in_any_company(const CausalModel& model) {
  const std::vector<Generated> alone = two_hundred(model, 1);
  for (const int together : {3, 8}) {
    const std::vector<Generated> others = two_hundred(model, together);
    for (size_t i = 0; i < alone.size(); ++i)
      EXPECT_EQ(others[i].ids, alone[i].ids) << "prompt " << i << " among " << together;
  }
}

TEST(DecoderBatches, TwoHundredPromptsGiveTheSameTokensAlone) {
  for (const char* name : {"gpt2-a", "llama-c", "falcon-b"}) {  // dynamic RoPE and ALiBi, too
    SCOPED_TRACE(name);
    expect_same_in_any_company(Golden(name).model());
  }
}

TEST(DecoderBatches, AlsoAcrossPagesOfTheCache) {
  const Family& family = family_named("gpt2");
  const Json config = family.complete(Json::object({{"vocab_size", 300},
                                                    {"n_positions", 200},
                                                    {"n_embd", 64},
                                                    {"n_layer", 2},
                                                    {"n_head", 4},
                                                    {"initializer_range", 0.3}}),
                                      "settings");
  const Model model = family.build(config, "settings", ParamStore::fresh(5));
  expect_same_in_any_company(model.causal);
}

}  // namespace
}  // namespace jogak
