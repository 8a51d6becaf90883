// Generation with a real model: what transformers wrote with the same weights, and that a text
// does not depend on its neighbours.
#include "models/gpt2.h"

#include "generate/beam.h"
#include "io/safetensors.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

CausalModel causal(const Gpt2& gpt2) {
  return {.forward = [&gpt2](const Tensor& ids, Run& run) { return gpt2(ids, run); },
          .cache = gpt2.cache_shape(),
          .vocab = gpt2.config.vocab};
}

struct Golden {
  std::string folder;
  ModelFiles files;
  ParamStore store;
  Gpt2 gpt2;
  SafetensorsFile golden;

  explicit Golden(const std::string& name)
      : folder(JOGAK_SOURCE_DIR "/tests/goldens/" + name),
        files(folder),
        store(ParamStore::from_files(files, kGpt2Names)),
        gpt2(Params(store), read_gpt2_config(read_json_file(folder + "/config.json"), folder)),
        golden(folder + "/golden.safetensors") {
    store.finish();
  }

  Ids ids(const std::string& name) const {
    const std::vector<int64_t> wide = to_host<int64_t>(golden.get(name));
    return {wide.begin(), wide.end()};
  }
};

class Gpt2Golden : public testing::TestWithParam<std::pair<const char*, int>> {
 protected:
  Golden golden{GetParam().first};
  CausalModel model = causal(golden.gpt2);
};

TEST_P(Gpt2Golden, GreedyTextIsTransformers) {
  for (int p = 0; p < GetParam().second; ++p) {
    const std::string name = "generate." + std::to_string(p);
    GenerateRequest request{.prompt = golden.ids(name + ".input_ids"), .max_new = 12};
    const Generated text = generate(model, nullptr, request);
    EXPECT_EQ(text.ids, golden.ids(name + ".greedy")) << name;
    EXPECT_EQ(text.finish_reason, FinishReason::length);
    const auto beam = beam_search(model, request.prompt, {.beams = 1, .max_new = 12});
    EXPECT_EQ(beam.at(0).ids, text.ids) << "one beam is greedy";
  }
}

TEST_P(Gpt2Golden, BeamsAreTransformers) {
  double worst = 0;
  for (int p = 0; p < GetParam().second; ++p) {
    for (const bool with_end : {false, true}) {
      const std::string name = "generate." + std::to_string(p);
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
  std::printf("%s: beam scores differ by at most %.2g\n", GetParam().first, worst);
}

INSTANTIATE_TEST_SUITE_P(Models, Gpt2Golden,
                         testing::Values(std::pair("gpt2-a", 4), std::pair("gpt2-c", 2)),
                         [](const auto& one) { return std::string(1, one.param.first[5]); });

// Prompts shorter and longer than a page of the cache, greedy and drawn.
std::vector<Generated> two_hundred(const CausalModel& model, int together) {
  Batcher batcher(model, nullptr, {.sequences = together});
  std::vector<int64_t> handles;
  for (uint64_t i = 0; i < 200; ++i) {
    Rng rng(i);
    GenerateRequest request;
    const auto longest = static_cast<uint64_t>(model.cache.context - 12);
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

TEST(Gpt2Batches, TwoHundredPromptsGiveTheSameTokensAlone) {
  const Golden golden("gpt2-a");
  expect_same_in_any_company(causal(golden.gpt2));
}

TEST(Gpt2Batches, AlsoAcrossPagesOfTheCache) {
  ParamStore store = ParamStore::fresh(5);
  const Gpt2 gpt2(Params(store), {.vocab = 300,
                                  .context = 200,
                                  .width = 64,
                                  .layers = 2,
                                  .heads = 4,
                                  .inner = 256,
                                  .init = 0.3});
  expect_same_in_any_company(causal(gpt2));
}

}  // namespace
}  // namespace jogak
