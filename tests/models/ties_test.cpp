// Tables that a configuration ties and a file has apart, keys that go by two names, and keys that
// say what we do not compute: as transformers does it, or refused.
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "base/random.h"
#include "models/decoders/falcon.h"
#include "models/decoders/gpt2.h"
#include "models/seq2seq/marian.h"
#include "models/series/patchtst.h"
#include "ops/linear.h"
#include "tests/models/golden.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

// A golden's weights with some more tensors beside them.
struct Changed {
  TempDir dir;
  ModelFiles files;
  Json config;
  const Family& family = family_of(config, "config.json");

  Changed(const std::string& golden, const NamedTensors& more)
      : files(written(dir, golden, more)), config(test::config_json(golden)) {}
  static ModelFiles written(const TempDir& dir, const std::string& golden,
                            const NamedTensors& more) {
    const SafetensorsFile whole(test::golden_dir(golden) + "/model.safetensors");
    NamedTensors tensors;
    for (const std::string& name : whole.names()) tensors.emplace_back(name, whole.get(name));
    tensors.insert(tensors.end(), more.begin(), more.end());
    save_safetensors(dir.path() + "/model.safetensors", tensors);
    return ModelFiles(dir.path());
  }
  Model model() const {
    return family.build(config, "config.json", ParamStore::from_files(files, family.names));
  }
};

// Its own matrix scores the words, the table still reads them.
TEST(Ties, AHeadThatTheFileHasWithOtherNumbersIsNotTied) {
  const NoGrad quiet;
  for (const char* name : {"gpt2-a", "llama-b", "falcon-a"}) {
    const SafetensorsFile golden(test::golden_dir(name) + "/golden.safetensors");
    const Tensor ids = golden.get("input_ids"), logits = golden.get("logits");
    int64_t layers = 0;
    while (golden.has(text_of("hidden_states.", layers + 1))) ++layers;
    const Tensor last = golden.get(text_of("hidden_states.", layers));
    const Tensor other = randn({logits.dim(2), last.dim(2)}, Rng(5));
    const Model model = Changed(name, {{"lm_head.weight", other}}).model();
    jogak::Run run;
    test::expect_golden(model.causal.forward(ids, run), linear(last, other, {}), name);
    EXPECT_NE(model.store->find("lm_head.weight"), nullptr) << name;
  }
}

TEST(Ties, ASecondCopyOfTheTableChangesNothing) {
  for (const char* name : {"gpt2-a", "llama-b", "falcon-a"}) {
    const Model plain = Changed(name, {}).model();
    const Tensor table = plain.store->all().front().value.detach();
    const Model twice = Changed(name, {{"lm_head.weight", table}}).model();
    EXPECT_EQ(twice.store->find("lm_head.weight"), nullptr) << name;
    EXPECT_EQ(twice.store->count(), plain.store->count()) << name;
  }
}

TEST(Ties, TablesAndPositionsOfTheEncoderDecoderAreTheFiles) {
  const SafetensorsFile whole(test::golden_dir("marian-a") + "/model.safetensors");
  const Tensor shared = whole.get("model.shared.weight");
  const MarianConfig c = read_config<MarianConfig>(test::config_json("marian-a"), "config.json");
  const auto other = [&](uint64_t seed) { return randn(shared.shape(), Rng(seed)); };
  const auto places = [&](uint64_t seed) { return randn({c.context, c.width}, Rng(seed)); };
  const NamedTensors all = {{"model.encoder.embed_tokens.weight", other(1)},
                            {"model.decoder.embed_tokens.weight", other(2)},
                            {"lm_head.weight", other(3)},
                            {"model.encoder.embed_positions.weight", places(4)},
                            {"model.decoder.embed_positions.weight", places(5)}};
  for (size_t changed = 0; changed < all.size(); ++changed) {
    const Changed at("marian-a", {all[changed]});
    ParamStore store = ParamStore::from_files(at.files, at.family.names);
    const Marian model(Params(store), c);
    store.finish();
    const Tensor* const own[] = {&model.source.table, &model.target.table, &model.lm_head.dense,
                                 &model.source.positions, &model.target.positions};
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_other = to_host<float>(*own[i]) == to_host<float>(all[changed].second);
      EXPECT_EQ(is_other, i == changed)
          << all[i].first << " where " << all[changed].first << " stands in the file";
      if (i < 3 && i != changed) {
        EXPECT_EQ(to_host<float>(*own[i]), to_host<float>(shared)) << all[i].first;
      }
    }
  }
}

template <class C>
C read(const char* text) {
  return read_config<C>(parse_json(text, "config.json"), "c");
}

// transformers' attribute_map: the common name wins.
TEST(Aliases, AreReadAsTransformersReadsThem) {
  const auto gpt2 = read<Gpt2Config>(
      R"({"num_attention_heads": 6, "n_head": 4, "hidden_size": 24, "num_hidden_layers": 3,
          "max_position_embeddings": 50})");
  EXPECT_EQ(gpt2.heads, 6);
  EXPECT_EQ(gpt2.width, 24);
  EXPECT_EQ(gpt2.inner, 96);
  EXPECT_EQ(gpt2.layers, 3);
  EXPECT_EQ(gpt2.context, 50);
  const auto marian = read<MarianConfig>(
      R"({"encoder_layers": 2, "num_hidden_layers": 5, "decoder_layers": 3, "hidden_size": 24,
          "num_attention_heads": 6, "decoder_attention_heads": 4})");
  EXPECT_EQ(marian.encoder.layers, 5);
  EXPECT_EQ(marian.decoder.layers, 3);
  EXPECT_EQ(marian.width, 24);
  EXPECT_EQ(marian.encoder.heads, 6);
  EXPECT_EQ(marian.decoder.heads, 4);
  EXPECT_EQ(read<PatchTstConfig>(R"({"hidden_size": 24})").width, 24);
  EXPECT_EQ(error_of<FormatError>(
                [] { read<Gpt2Config>(R"({"n_embd": 30, "num_attention_heads": 4})"); }),
            "c: byte 38: \"n_head\": found 4, wanted a divisor of n_embd 30");
}

// The first releases of Gemma wrote "gelu" and meant its approximation; "gelu_python" is the exact
// one.
TEST(Aliases, GeluOfGemmaIsItsApproximation) {
  const NoGrad quiet;
  const auto logits = [](const char* activation) {
    Changed gemma("gemma-a", {});
    gemma.config.set("hidden_act", activation);
    const Model model = gemma.model();
    jogak::Run run;
    return to_host<float>(model.causal.forward(from_values<int64_t>({5, 6, 7}, {1, 3}), run));
  };
  EXPECT_EQ(logits("gelu"), logits("gelu_pytorch_tanh"));
  EXPECT_NE(logits("gelu"), logits("gelu_python"));
}

// Falcon asks whether a flag is set: null is not, whatever the default.
TEST(Nulls, AreFlagsThatAreNotSet) {
  EXPECT_EQ(read<FalconConfig>("{}").block, FalconConfig::Block::parallel);
  EXPECT_EQ(read<FalconConfig>(R"({"parallel_attn": null})").block,
            FalconConfig::Block::sequential);
  EXPECT_EQ(read<FalconConfig>("{}").kv_heads, 1);
  EXPECT_EQ(read<FalconConfig>(R"({"multi_query": null})").kv_heads, 71);
  EXPECT_FALSE(read<FalconConfig>(R"({"alibi": null, "bias": null})").bias);
  EXPECT_NE(error_of<FormatError>([] {
              read<FalconConfig>(R"({"parallel_attn": 1})");
            }).find("wanted true or false"),
            std::string::npos);
}

TEST(Refused, QuantizedWeightsAreNamed) {
  const auto config = [](const char* value) {
    return text_of(R"({"model_type": "llama", "quantization_config": )", value, "}");
  };
  for (const auto& [value, found] :
       {std::pair<const char*, const char*>{R"({"quant_method": "gptq", "bits": 4})",
                                            "c: byte 64: \"quantization_config\": found \"gptq\""},
        {"{}", "c: byte 47: \"quantization_config\": found an object"}})
    EXPECT_EQ(error_of<FormatError>([&] { family_of(parse_json(config(value), "c"), "c"); }),
              text_of(found, ", wanted weights of compressed-tensors"));
  EXPECT_STREQ(
      family_of(parse_json(config(R"({"quant_method": "compressed-tensors"})"), "c"), "c").name,
      "llama");
  EXPECT_STREQ(
      family_of(parse_json(R"({"model_type": "llama", "quantization_config": null})", "c"), "c")
          .name,
      "llama");
}

}  // namespace
}  // namespace jogak
