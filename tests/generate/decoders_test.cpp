// Generation with a real model: what transformers wrote with the same weights, and that a text
// does not depend on its neighbours.
#include "generate/batcher.h"
#include "generate/beam.h"
#include "io/safetensors.h"
#include "models/falcon.h"
#include "models/gpt2.h"
#include "models/llama.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

// What generation needs of a model, and what keeps it alive.
struct Opened {
  std::shared_ptr<const void> owner;
  CausalModel model;
};

template <class M>
CausalModel causal(const M& model) {
  return {.forward = [&model](const Tensor& ids, Run& run) { return model(ids, run); },
          .cache = model.cache_shape(),
          .vocab = model.config.vocab};
}

template <class M, class Config>
Opened opened(const std::string& folder, const NameMap& names,
              Config (*read)(const Json&, const std::string&)) {
  struct Owner {
    ModelFiles files;
    ParamStore store;
    M model;
    Owner(const std::string& from, const NameMap& map, const Config& config)
        : files(from), store(ParamStore::from_files(files, map)), model(Params(store), config) {
      store.finish();
    }
  };
  const std::string file = folder + "/config.json";
  const auto owner = std::make_shared<const Owner>(folder, names, read(read_json_file(file), file));
  return {owner, causal(owner->model)};
}

struct Golden {
  std::string folder;
  SafetensorsFile golden;
  Opened opened_model;

  explicit Golden(const std::string& name)
      : folder(source_path("tests/goldens/") + name),
        golden(folder + "/golden.safetensors"),
        opened_model(
            name.starts_with("llama")    ? opened<Llama>(folder, kLlamaNames, read_llama_config)
            : name.starts_with("falcon") ? opened<Falcon>(folder, kFalconNames, read_falcon_config)
                                         : opened<Gpt2>(folder, kGpt2Names, read_gpt2_config)) {}

  const CausalModel& model() const { return opened_model.model; }
  Ids ids(const std::string& name) const {
    const std::vector<int64_t> wide = to_host<int64_t>(golden.get(name));
    return {wide.begin(), wide.end()};
  }
};

class DecoderGolden : public testing::TestWithParam<std::pair<const char*, int>> {
 protected:
  Golden golden{GetParam().first};
  const CausalModel& model = golden.model();
};

TEST_P(DecoderGolden, GreedyTextIsTransformers) {
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

TEST_P(DecoderGolden, BeamsAreTransformers) {
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

INSTANTIATE_TEST_SUITE_P(Models, DecoderGolden,
                         testing::Values(std::pair("gpt2-a", 4), std::pair("gpt2-c", 2),
                                         std::pair("llama-a", 4), std::pair("llama-b", 2),
                                         std::pair("llama-c", 2), std::pair("llama-d", 1),
                                         std::pair("llama-e", 1), std::pair("falcon-a", 4),
                                         std::pair("falcon-b", 2), std::pair("falcon-c", 2),
                                         std::pair("falcon-d", 1), std::pair("falcon-e", 2)),
                         [](const auto& one) {
                           std::string name = one.param.first;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

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

TEST(DecoderBatches, TwoHundredPromptsGiveTheSameTokensAlone) {
  for (const char* name : {"gpt2-a", "llama-c", "falcon-b"}) {  // dynamic RoPE and ALiBi, too
    SCOPED_TRACE(name);
    expect_same_in_any_company(Golden(name).model());
  }
}

TEST(DecoderBatches, AlsoAcrossPagesOfTheCache) {
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
