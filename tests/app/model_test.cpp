#include "app/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "app/measure/bench.h"
#include "app/show/inspect_input.h"
#include "app/tools/info.h"
#include "app/tools/new_model.h"
#include "app/train/recipe.h"
#include "app/use/forward.h"
#include "app/use/generator.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/random.h"
#include "io/safetensors.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

const std::string kGolden = test::golden_dir("gpt2-");

std::string temporary(const std::string& name) {
  static const TempDir folder;
  return folder / name;
}

template <class E>
std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, ForwardWritesEverythingUnderTransformersNames) {
  for (const std::string& name : test::goldens_with("labels", "attention_mask")) {
    if (!SafetensorsFile(test::golden_dir(name) + "/golden.safetensors").has("hidden_states.1"))
      continue;  // a long text's insides are left out
    const std::string out = temporary(name) + ".safetensors", from = test::golden_dir(name);
    run_forward({.directory = from,
                 .input = from + "/golden.safetensors",
                 .output = out,
                 .attentions = true,
                 .hidden = true,
                 .grads = true});
    const SafetensorsFile got(out), wanted(from + "/golden.safetensors");
    int compared = 0;
    for (const std::string& key : got.names()) {
      ASSERT_TRUE(wanted.has(key)) << key;
      if (key.ends_with("key.bias") || key.ends_with("k_proj.bias")) continue;  // rounding alone
      EXPECT_LE(test::relative_distance(got.get(key), wanted.get(key)), 1e-4) << name << " " << key;
      ++compared;
    }
    EXPECT_GT(compared, 20) << name;
  }
}

// Positions that begin elsewhere and jump, padding at the left, two kinds of tokens
// (tests/goldens/make_forward.py).
TEST(Model, ForwardTakesPositionsAndKindsOfTokens) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_dir("forward"))) {
    const std::string name = entry.path().stem(), out = temporary(name) + ".safetensors";
    run_forward({.directory = test::golden_dir(name), .input = entry.path(), .output = out});
    const SafetensorsFile inputs(entry.path());
    const auto real = to_host<int64_t>(inputs.get("attention_mask"));
    Tensor got = SafetensorsFile(out).get("logits");
    auto values = to_host<float>(got);
    const size_t V = values.size() / real.size();
    for (size_t i = 0; i < values.size(); ++i)
      if (real[i / V] == 0) values[i] = 0;
    EXPECT_LE(test::relative_distance(from_values(values, got.shape()), inputs.get("logits")), 1e-4)
        << name;
    ++files;
  }
  EXPECT_EQ(files, 5);
}

TEST(ModelErrors, ForwardRefusesTensorsItDoesNotKnow) {
  const std::string in = temporary("in.safetensors"), out = temporary("out.safetensors");
  const Tensor ids = from_values(std::vector<int64_t>{1, 2, 3}, {1, 3});
  const auto refused = [&](const char* golden, const char* name, const Tensor& value) {
    save_safetensors(in, {{"input_ids", ids}, {name, value}});
    return error_of<FormatError>(
        [&] { run_forward({.directory = test::golden_dir(golden), .input = in, .output = out}); });
  };
  EXPECT_EQ(refused("llama-a", "token_type_ids", ids),
            in + ": tensor \"token_type_ids\": a llama model reads input_ids, attention_mask, "
                 "position_ids, labels");
  EXPECT_NE(refused("marian-a", "position_ids", ids).find("decoder_input_ids"), std::string::npos);
  EXPECT_NE(refused("gpt2-a", "inputs_embeds", randn({1, 3, 32}, Rng(1))).find("token_type_ids"),
            std::string::npos);
  for (const char* model : {"gpt2-a", "bert-a", "roberta-a"})
    EXPECT_EQ(
        refused(model, "position_ids", from_values(std::vector<int64_t>{1, 2, 99999}, {1, 3}))
            .find(in + ": tensor \"position_ids\": found 99999 at place 2 of 3, wanted 0 to "),
        0u)
        << model;
  EXPECT_EQ(refused("gpt2-a", "position_ids", from_values(std::vector<int64_t>{0, 1, 0}, {1, 3})),
            in + ": position_ids has 0 after 1: packed texts are not read; with an attention_mask "
                 "it is one text");
  EXPECT_EQ(refused("gpt2-a", "loss", ids), "no error");  // of an earlier pass
}

// Against the formula over whole logits, in double.
TEST(Model, LanguageModelsSmoothTheirTargets) {
  for (const char* name : {"gpt2-a", "llama-a", "falcon-a"}) {
    const Model model = open_model(test::golden_dir(name));
    const NoGrad quiet;
    jogak::Run run;
    const std::vector<int64_t> ids = {3, 9, 4, 1, 7}, targets = {9, 4, -100, 7, 2};
    const Tensor in = from_values(ids, {1, 5}), out = from_values(targets, {1, 5});
    const auto logits = to_host<float>(model.causal.forward(in, run));
    const auto width = static_cast<size_t>(model.vocab);
    constexpr double kSmoothing = 0.2;
    double wanted = 0;
    for (size_t row = 0; row < targets.size(); ++row) {
      if (targets[row] < 0) continue;
      double sum = 0, mean = 0;
      for (size_t i = 0; i < width; ++i) {
        sum += std::exp(static_cast<double>(logits[row * width + i]));
        mean += logits[row * width + i] / static_cast<double>(width);
      }
      const double right = logits[row * width + static_cast<size_t>(targets[row])];
      wanted += std::log(sum) - (1 - kSmoothing) * right - kSmoothing * mean;
    }
    EXPECT_NEAR(item(model.loss_sum(in, out, kSmoothing, run)), wanted, 1e-4) << name;
    EXPECT_NE(item(model.loss_sum(in, out, 0, run)),
              item(model.loss_sum(in, out, kSmoothing, run)));
  }
}

// Every golden of an encoder, through the command: outputs, loss, insides and gradients.
TEST(Model, ForwardReadsTextsImagesAndSeries) {
  const std::pair<const char*, bool> goldens[] = {
      {"bert-a", true},  {"bert-d", true},     {"bert-g", true},
      {"bert-h", false}, {"vit-b", true},      {"vit-c", true},
      {"vit-d", false},  {"patchtst-b", true}, {"patchtst-c", true}};
  for (const auto& [name, head] : goldens) {
    const std::string dir = test::golden_dir(name), out = temporary(name) + ".safetensors";
    run_forward({.directory = dir,
                 .input = dir + "/golden.safetensors",
                 .output = out,
                 .attentions = true,
                 .hidden = true,
                 .grads = head});
    const SafetensorsFile got(out), wanted(dir + "/golden.safetensors");
    int compared = 0;
    for (const std::string& key : got.names()) {
      if (key.ends_with("key.bias") || key.ends_with("k_proj.bias")) continue;  // rounding alone
      ASSERT_TRUE(wanted.has(key)) << name << " " << key;
      EXPECT_LE(test::relative_distance(got.get(key), wanted.get(key)), 1e-4) << name << " " << key;
      ++compared;
    }
    EXPECT_GT(compared, head ? 20 : 6) << name;
  }
  const std::string dir = test::golden_dir("bert-h");
  EXPECT_NE(error_of<FormatError>([&] {
              run_forward({.directory = dir,
                           .input = dir + "/golden.safetensors",
                           .output = temporary("none"),
                           .grads = true});
            }).find("--grads needs a tensor named labels, and a model with a head"),
            std::string::npos);
}

TEST(Model, WeightsInBf16RunEverywhereAndTrainNowhere) {
  std::vector<std::string> names = {"llama-i"};
  for (const Family& family : families())
    for (const std::string& one : test::goldens_with("logits"))
      if (one == test::goldens_of(family.model_type)[0]) names.push_back(one);
  for (const std::string& name : names) {
    const std::string dir = test::golden_dir(name), out = temporary(name) + ".safetensors";
    ForwardRequest request{
        .directory = dir, .input = dir + "/golden.safetensors", .output = out, .dtype = "bf16"};
    run_forward(request);
    const SafetensorsFile got(out), wanted(dir + "/golden.safetensors");
    // Rounded weights are off by 2^-9: the numbers are near, and equal where the file is bf16.
    const double tolerance = name == "llama-i" ? 1e-4 : 0.1;
    EXPECT_LE(test::relative_distance(got.get("logits"), wanted.get("logits")), tolerance) << name;
    request.grads = true;
    EXPECT_EQ(error_of<UsageError>([&] { run_forward(request); }),
              "forward: --grads goes with weights in f32, found --dtype bf16");
  }
  EXPECT_EQ(
      error_of<UsageError>([] { bench_train({.preset = "tiny", .settings = {}, .dtype = "f16"}); }),
      "bench train: found dtype f16, wanted f32 or bf16");
  EXPECT_EQ(error_of<UsageError>([] { weight_use("f8"); }),
            "dtype: found f8, wanted auto, f32 or bf16");
}

TEST(Model, EncodersAreMadeSavedAndOpened) {
  const std::pair<const char*, std::vector<std::string>> made[] = {
      {"bert", {"vocab_size=33", "num_hidden_layers=1"}},
      {"bert",
       {"vocab_size=33", R"(architectures=["BertForSequenceClassification"])", "num_labels=3"}},
      {"vit", {"num_labels=10", "num_hidden_layers=1"}},
      {"patchtst", {"num_input_channels=3", "share_projection=false"}}};
  for (const auto& [family, settings] : made) {
    const std::string dir = temporary("encoder");
    std::filesystem::remove_all(dir);
    make_new_model({.directory = dir, .family = family, .preset = "tiny", .settings = settings});
    const Model model = open_model(dir);
    ASSERT_TRUE(model.encodes()) << family;
    EXPECT_GT(model.store->count(), 1000) << family;
    const std::string before = read_file(dir + "/model.safetensors");
    save_model(model, dir);
    EXPECT_EQ(read_file(dir + "/model.safetensors"), before) << family;
  }
  EXPECT_EQ(open_model(temporary("encoder")).encoder.horizon, 96);
}

TEST(Model, SavedAndOpenedAgainItIsTheSame) {
  const std::string dir = temporary("new");
  std::filesystem::remove_all(dir);
  const ModelInfo info =
      make_new_model({.directory = dir, .settings = {"vocab_size=33", "n_layer=1"}});
  EXPECT_EQ(info.layers, 1);
  EXPECT_EQ(info.vocab, 33);
  const std::string first = read_file(dir + "/model.safetensors");
  save_model(open_model(dir), dir);
  EXPECT_EQ(read_file(dir + "/model.safetensors"), first);
  EXPECT_THROW(make_new_model({.directory = dir}), UsageError);  // nothing of the user's is lost
}

TEST(Model, EveryTokenizerThatCanBeReadIsTold) {
  const std::string dir = temporary("spm");
  std::filesystem::remove_all(dir);
  make_new_model({.directory = dir, .settings = {"vocab_size=2000", "n_layer=1"}});
  EXPECT_FALSE(model_info(dir).tokenizer.has_value());
  const std::string spm = test::golden_dir("tokenizers/spm") + "/unigram-raw.model";
  for (const char* name : {"spiece.model", "tokenizer.model"}) {  // the second is looked for first
    std::filesystem::copy_file(spm, dir + "/" + name);
    const auto found = model_info(dir).tokenizer;
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->file, name);
    EXPECT_GT(Generator(dir).generate("a", {.settings = {.max_new_tokens = 2}}).ids.size(), 0u);
    EXPECT_TRUE(InspectSubject(dir).input({.text = "a"}).has("input_ids"));
  }
}

TEST(Model, EveryPresetIsSavedAndOpenedAgain) {
  for (const Family& family : families()) {
    const bool words = std::count(family.keys.begin(), family.keys.end(), "vocab_size") > 0;
    for (const Family::Preset& preset : family.presets) {
      const std::string name = preset.name;
      if (name == "base" || name == "big") continue;  // hundreds of megabytes
      const std::string dir = temporary(family.name + name);
      std::filesystem::remove_all(dir);
      std::vector<std::string> settings = {"eos_token_id=7"};
      if (words) settings.push_back("vocab_size=33");
      make_new_model(
          {.directory = dir, .family = family.name, .preset = name, .settings = settings});
      const Model model = open_model(dir);
      EXPECT_EQ(model.vocab, words ? 33 : 0) << family.name;
      EXPECT_EQ(*model.config.find("eos_token_id"), Json(7)) << family.name;
      // Left out, transformers would take tokens of another vocabulary.
      if (const Json* begin = model.config.find("bos_token_id")) {
        EXPECT_TRUE(begin->is_null()) << family.name;
      }
      const std::string first = read_file(dir + "/model.safetensors");
      save_model(model, dir);
      EXPECT_EQ(read_file(dir + "/model.safetensors"), first) << family.name << " " << name;
    }
  }
}

TEST(ModelErrors, SettingsAndFamiliesAreSuggested) {
  const std::string dir = temporary("none");
  EXPECT_EQ(
      error_of<UsageError>([&] { make_new_model({.directory = dir, .settings = {"n_layers=3"}}); }),
      "unknown gpt2 setting 'n_layers', did you mean 'n_layer'?");
  EXPECT_NE(error_of<UsageError>([&] {
              make_new_model({.directory = dir, .family = "gpt3"});
            }).find("gpt2"),
            std::string::npos);
  for (const char* fixed : {"model_type=llama", "architectures=[\"GPT2Model\"]", "torch_dtype=f16"})
    EXPECT_NE(error_of<UsageError>([&] {
                make_new_model({.directory = dir, .settings = {fixed}});
              }).find(", and gpt2 has "),
              std::string::npos)
        << fixed;
}

// A recipe's settings count beside model.from, too: dropout, or a window.
TEST(Model, ADirectorysConfigurationTakesSettings) {
  const Model plain = open_model(kGolden + "a");
  EXPECT_EQ(plain.config.find("resid_pdrop")->number(),
            open_model(kGolden + "a", {.settings = {}}).config.find("resid_pdrop")->number());
  const Model other = open_model(kGolden + "a", {.settings = {{"resid_pdrop", 0.25}}});
  EXPECT_EQ(other.config.find("resid_pdrop")->number(), 0.25);
  EXPECT_NE(error_of<UsageError>([] {
              open_model(kGolden + "a", {.settings = {{"n_layerz", 3}}});
            }).find("has no setting 'n_layerz'"),
            std::string::npos);
  EXPECT_NE(error_of<FormatError>([] {
              open_model(kGolden + "a", {.settings = {{"n_layer", 7}}});
            }).find("do not fit the configuration"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>([] {
              open_model(kGolden + "a", {.settings = {{"model_type", "llama"}}});
            }).find("the model has \"gpt2\""),
            std::string::npos);
}

void write_variant(const std::string& dir, const std::function<void(Json&)>& change) {
  std::filesystem::remove_all(dir);
  std::filesystem::copy(kGolden + "a", dir);
  Json config = read_json_file(dir + "/config.json");
  change(config);
  write_file(dir + "/config.json", config.dump(2));
}

TEST(ModelErrors, ConfigurationsThatCannotBeAreRefusedByPlace) {
  const std::string dir = temporary("wrong");
  const struct {
    const char* key;
    Json value;
    const char* says;
  } cases[] = {{"n_head", 5, "a divisor of n_embd 32"},
               {"n_head", 0, "an integer from 1"},
               {"n_embd", "768", "found \"768\", wanted an integer"},
               {"n_embd", -4, "an integer from 1"},
               {"n_layer", int64_t{1000000000}, "an integer from 1 to 10000"},
               {"n_positions", 0, "an integer from 1"},
               {"layer_norm_epsilon", 0.0, "a small positive number"},
               {"resid_pdrop", 1.5, "a number from 0 up to"},
               {"activation_function", "mish", "gelu_new"},
               {"model_type", "gpt9", "one of gpt2"},
               {"vocab_size", 98, "the file has [97, 32], the model wants [98, 32]"},
               {"n_layer", 3, "h.2.ln_1.weight: missing"},
               {"n_layer", 1, "not used by the model"}};
  for (const auto& c : cases) {
    write_variant(dir, [&](Json& config) { config.set(c.key, c.value); });
    const std::string error = error_of<FormatError>([&] { open_model(dir); });
    EXPECT_NE(error.find(c.says), std::string::npos) << c.key << ": " << error;
    EXPECT_EQ(error.find(dir), 0u) << error;
  }
}

TEST(ModelErrors, NonFiniteWeightsAreRefusedUnlessAllowed) {
  const std::string dir = temporary("nan");
  write_variant(dir, [](Json&) {});
  NamedTensors tensors;
  const SafetensorsFile file(dir + "/model.safetensors");
  for (const std::string& name : file.names()) tensors.emplace_back(name, file.read(name));
  for (auto& [name, value] : tensors)
    if (name == "transformer.ln_f.bias") value.data<float>()[3] = NAN;
  save_safetensors(dir + "/model.safetensors", tensors);
  EXPECT_NE(error_of<FormatError>([&] { open_model(dir); }).find("transformer.ln_f.bias"),
            std::string::npos);
  EXPECT_NO_THROW(open_model(dir, {.allow_nonfinite = true}));
}

TEST(Model, PresetsHaveTheSizesTheHelpShows) {
  for (const auto& [name, count] : preset_sizes("gpt2"))
    EXPECT_TRUE(name != "base" || count == 124439808) << count;
}

TEST(RecipeErrors, AModelThatCannotBeNamesTheLineOrTheSetting) {
  const auto made = [](Recipe recipe) {
    recipe_config(recipe.model, recipe.model.settings);
    return recipe;
  };
  const std::string text = "[model]\nn_layer = 2\nn_embd = -3\n[data]\ntrain = \"a\"\n";
  Recipe recipe = parse_recipe(text, "r.toml");
  EXPECT_EQ(error_of<FormatError>([&] { made(recipe); }),
            "r.toml: line 3: \"n_embd\": found -3, wanted an integer from 1 to 16777216");
  apply_settings(recipe, {"train.steps=3", "model.n_embd=x"});
  EXPECT_EQ(error_of<UsageError>([&] { made(recipe); }),
            "--set model.n_embd=x: \"n_embd\": found \"x\", wanted an integer from 1 to 16777216");
  apply_settings(recipe, {"model.n_embd=15"});
  EXPECT_EQ(error_of<FormatError>([&] { made(recipe); }).find("[model]: \"n_head\": found "), 0u)
      << "which the preset says";
}

}  // namespace
}  // namespace jogak
