#include "app/models/adapter.h"

#include <filesystem>

#include "app/tools/merge.h"
#include "app/tools/quantize.h"
#include "app/train/train.h"
#include "app/use/forward.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "io/safetensors.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "tensor/packed.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGoldens[] = {"lora-gpt2", "lora-llama", "lora-falcon", "lora-bert"};

Tensor logits_of(const Model& model, const Tensor& ids) {
  Run run;
  if (model.causal.forward) return model.causal.forward(ids, run);
  return model.encoder.predict({.values = ids}, run);
}

// sum(logits * a ramp from -1 to 1), as the maker of the goldens does.
Tensor ramp_loss(const Tensor& logits) {
  const int64_t n = logits.count();
  std::vector<float> ramp(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    ramp[static_cast<size_t>(i)] =
        static_cast<float>(-1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1));
  return sum(mul(logits, from_values(ramp, logits.shape())));
}

TEST(Adapter, OpensWhatPeftWrote) {
  for (const char* name : kGoldens) {
    const std::string directory = test::golden_dir(name);
    const SafetensorsFile golden(directory + "/golden.safetensors");
    const NoGrad quiet;
    const Model model = open_model(directory);
    EXPECT_EQ(model.store->lora().rank, 0) << name;  // merged
    const double d =
        test::relative_distance(logits_of(model, golden.get("input_ids")), golden.get("logits"));
    printf("  %-12s logits max|a-b|/max|b| = %.2e\n", name, d);
    EXPECT_LE(d, 1e-4) << name;
  }
}

TEST(Adapter, GradientsOfBothFactorsAreThoseOfPeft) {
  for (const char* name : kGoldens) {
    const std::string directory = test::golden_dir(name);
    const SafetensorsFile golden(directory + "/golden.safetensors");
    const AdapterConfig config = read_adapter_config(directory);
    Model model = open_model(config.base, {.lora = config.lora});
    load_adapter(model, directory);
    const Tensor loss = ramp_loss(logits_of(model, golden.get("input_ids")));
    std::vector<Tensor> leaves = model.store->trained();
    const std::vector<Tensor> grads = gradients(loss, leaves);
    size_t i = 0, compared = 0;
    for (const Param& p : model.store->all()) {
      if (!p.trained) continue;
      for (const auto& [file_name, grad] : model.store->in_file_layout(p, grads[i])) {
        const std::string key = "grads.base_model.model." + file_name;
        EXPECT_LE(test::relative_distance(grad, golden.get(key)), 1e-4) << name << " " << key;
        ++compared;
      }
      ++i;
    }
    EXPECT_EQ(compared + 2, golden.size()) << name;  // every gradient of the file
  }
}

std::vector<Tensor> gradients_of(const Model& model, const Tensor& ids) {
  std::vector<Tensor> leaves = model.store->trained();
  return gradients(ramp_loss(logits_of(model, ids)), leaves);
}

// Frozen weights stay in small integers, in less memory, and adapters get the gradients that the
// same numbers give as floats: within 1e-3, for values are rounded to 16 bits on their way forward.
TEST(Adapter, LearnsOverSmallIntegersWhatItLearnsOverTheirFloats) {
  for (const char* name : kGoldens)
    for (const char* type : {"q8", "q4"}) {
      SCOPED_TRACE(text_of(name, " ", type));
      const TempDir dir;
      const std::string directory = test::golden_dir(name), out = dir / "small";
      const Tensor ids = SafetensorsFile(directory + "/golden.safetensors").get("input_ids");
      const AdapterConfig config = read_adapter_config(directory);
      quantize({.directory = config.base, .out = out, .type = type, .group = 16});
      Model small = open_model(out, {.lora = config.lora});
      Model floats = open_model(config.base, {.lora = config.lora});
      const Model same = open_model(out, {.use = WeightUse::f32});
      load_adapter(small, directory);
      load_adapter(floats, directory);
      int64_t packed_bytes = 0, float_bytes = 0;
      for (const Param& p : floats.store->all()) {
        if (p.trained) continue;
        copy_into(p.value, same.store->find(p.name)->value);
        const Tensor& frozen = small.store->find(p.name)->value;
        if (frozen.dtype() != DType::packed) continue;
        packed_bytes += packed_layout(frozen.raw()).bytes();
        float_bytes += static_cast<int64_t>(p.value.bytes());
      }
      EXPECT_GT(packed_bytes, 0);
      EXPECT_LT(packed_bytes, float_bytes * 3 / 4);  // so few rows are filled up to whole tiles
      const std::vector<Tensor> got = gradients_of(small, ids), wanted = gradients_of(floats, ids);
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_LE(test::relative_distance(got[i], wanted[i]), 1e-3) << i;
    }
}

TEST(Adapter, SavedFilesAreThoseThatWereRead) {
  for (const char* name : kGoldens) {
    const TempDir out;
    const std::string directory = test::golden_dir(name);
    const AdapterConfig config = read_adapter_config(directory);
    Model model = open_model(config.base, {.lora = config.lora});
    load_adapter(model, directory);
    save_model(model, out.path());
    const SafetensorsFile before(directory + "/" + kAdapterFile), after(out / kAdapterFile);
    ASSERT_EQ(before.names(), after.names()) << name;
    for (const std::string& tensor : before.names())
      EXPECT_EQ(test::relative_distance(after.get(tensor), before.get(tensor)), 0) << tensor;
    EXPECT_TRUE(is_adapter_directory(out.path()));
    const AdapterConfig again = read_adapter_config(out.path());
    EXPECT_EQ(again.lora.rank, 3);
    EXPECT_EQ(again.lora.scale(), config.lora.scale());
  }
}

TEST(Adapter, WhatDoesNotFitIsListed) {
  const TempDir dir;
  const std::string from = test::golden_dir("lora-gpt2");
  fs::copy(from, dir / "a");
  fs::copy(test::golden_dir("gpt2-a"), dir / "gpt2-a");
  const std::string path = dir / "a/adapter_config.json";
  const std::string good = read_file(path);
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    write_file(path, text);
    return error_of<FormatError>([&] { open_model(dir / "a"); });
  };
  EXPECT_NE(with("\"r\": 3", "\"r\": 2").find("the file has [3, 32], the model wants [2, 32]"),
            std::string::npos);
  EXPECT_NE(with("\"r\": 3", "\"r\": 0").find("\"r\""), std::string::npos);
  EXPECT_NE(with("\"use_dora\": false", "\"use_dora\": true").find("use_dora"), std::string::npos);
  const char* const options[][3] = {{"alora_invocation_tokens", "null", "[1, 2]"},
                                    {"alpha_pattern", "{}", "{\"c_attn\": 2}"},
                                    {"arrow_config", "null", "{\"top_k\": 1}"},
                                    {"ensure_weight_tying", "false", "true"},
                                    {"init_lora_weights", "true", "\"pissa\""},
                                    {"kasa_config", "null", "{\"beta\": 1}"},
                                    {"layers_to_transform", "null", "[0]"},
                                    {"megatron_config", "null", "{\"a\": 1}"},
                                    {"use_bdlora", "null", "{\"nblocks\": 2}"},
                                    {"use_qalora", "false", "true"},
                                    {"lora_bias", "false", "true"}};
  for (const auto& [key, was, now] : options) {
    const std::string error =
        with(text_of("\"", key, "\": ", was), text_of("\"", key, "\": ", now));
    EXPECT_NE(error.find(text_of("\"", key, "\": found ")), std::string::npos) << error;
  }
  EXPECT_NE(with("\"revision\"", "\"an_option_of_tomorrow\": true, \"revision\"")
                .find("\"an_option_of_tomorrow\": found true, wanted nothing"),
            std::string::npos);
  EXPECT_NE(with("LORA", "IA3").find("\"LORA\""), std::string::npos);
  EXPECT_NE(with("../gpt2-a", "../a").find("adapters again"), std::string::npos);
  EXPECT_NE(with("\"mlp.c_proj\"", "\"mlp.c_fc\"").find("missing, the model wants"),
            std::string::npos);
  std::string away = good;
  away.replace(away.find("../gpt2-a"), 9, "../nowhere");
  write_file(path, away);
  EXPECT_NE(error_of<MissingError>([&] { open_model(dir / "a"); }).find("no such model directory"),
            std::string::npos);
  write_file(path, good);
  EXPECT_NO_THROW(open_model(dir / "a"));
}

// Only the adapters move; a run stopped and resumed ends with the same ones.
TEST(Adapter, TrainsOnAModelThatStays) {
  const TempDir dir;
  const std::string make = R"(schema = 1
[model]
preset = "tiny"
[data]
kind = "lines"
make = "sort"
count = 200
valid_count = 20
[train]
steps = 4
batch = 4
warmup = 1
schedule = "constant"
lr = 1e-2
checkpoint_every = 2
eval_every = 0
)";
  run_training({.recipe = parse_recipe(make, "base"), .out = dir / "base", .quiet = true});
  Recipe tune = parse_recipe(make, "tune");
  tune.model.from = dir / "base";
  tune.train.lora_rank = 2;
  run_training({.recipe = tune, .out = dir / "whole", .quiet = true});
  EXPECT_TRUE(is_adapter_directory(dir / "whole"));
  EXPECT_LT(fs::file_size(dir / "whole/checkpoints/step-00000004/weights.safetensors"),
            fs::file_size(dir / "base/model.safetensors") / 4);
  const Model base = open_model(dir / "base"), tuned = open_model(dir / "whole");
  int moved = 0;
  for (const Param& p : base.store->all()) {
    const bool same = test::relative_distance(tuned.store->find(p.name)->value, p.value) == 0;
    EXPECT_EQ(same, p.name.find("c_attn.weight") == std::string::npos) << p.name;
    moved += !same;
  }
  EXPECT_GT(moved, 0);
  Recipe half = tune;
  half.train.steps = 2;
  run_training({.recipe = half, .out = dir / "parts", .quiet = true});
  run_training({.recipe = tune, .out = dir / "parts", .resume = true, .quiet = true});
  const std::string end = "/checkpoints/step-00000004/weights.safetensors";
  EXPECT_TRUE(read_file(dir / ("parts" + end)) == read_file(dir / ("whole" + end)));
  merge_adapters({.adapters = dir / "whole", .out = dir / "merged"});
  EXPECT_FALSE(is_adapter_directory(dir / "merged"));
  const Model merged = open_model(dir / "merged");
  for (const Param& p : tuned.store->all())
    EXPECT_EQ(test::relative_distance(merged.store->find(p.name)->value, p.value), 0) << p.name;
  Recipe fresh = tune;
  fresh.model.from = "";
  EXPECT_NE(error_of<UsageError>([&] {
              run_training({.recipe = fresh, .out = dir / "x", .quiet = true});
            }).find("model.from"),
            std::string::npos);
}

// A translator's two tokenizers and whatever else stands beside the weights go along.
TEST(Adapter, MergedModelsKeepWhatStandsBesideTheWeights) {
  const TempDir dir;
  const std::string make = R"([model]
family = "seq2seq"
encoder_layers = 1
decoder_layers = 1
d_model = 16
[tokenizer]
type = "char"
[data]
kind = "pairs"
make = "dates"
count = 40
valid_count = 4
[train]
batch_tokens = 128
steps = 2
eval_every = 0
)";
  run_training({.recipe = parse_recipe(make, "base"), .out = dir / "base", .quiet = true});
  const std::string generation = R"({"max_length": 17, "num_beams": 2})";
  write_file(dir / "base/generation_config.json", generation);
  write_file(dir / "base/preprocessor_config.json", "{}");
  Recipe tune = parse_recipe(make, "tune");
  tune.model.from = dir / "base";
  tune.train.lora_rank = 2;
  run_training({.recipe = tune, .out = dir / "lora", .quiet = true});
  merge_adapters({.adapters = dir / "lora", .out = dir / "merged"});
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "tokenizer_config.json"})
    EXPECT_TRUE(read_file(dir / ("merged/" + std::string(name))) ==
                read_file(dir / ("base/" + std::string(name))))
        << name;
  EXPECT_EQ(std::string(read_file(dir / "merged/generation_config.json")), generation);
  EXPECT_TRUE(file_exists(dir / "merged/preprocessor_config.json"));
  EXPECT_FALSE(file_exists(dir / "merged/checkpoints"));
}

}  // namespace
}  // namespace jogak
