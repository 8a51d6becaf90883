#include "app/models/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "app/measure/bench.h"
#include "app/tools/info.h"
#include "app/tools/new_model.h"
#include "app/use/forward.h"
#include "base/file.h"
#include "io/safetensors.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

const std::string kGolden = test::golden_dir("gpt2-");

std::string temporary(const std::string& name) {
  return testing::TempDir() + "/model_test_" + name;
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
  for (const char* name : {"gpt2-a", "gpt2-b", "gpt2-c", "llama-b", "llama-g", "falcon-c"}) {
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
      EXPECT_LE(test::relative_distance(got.get(key), wanted.get(key)), 1e-4) << name << " " << key;
      ++compared;
    }
    EXPECT_GT(compared, 20) << name;
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
  for (const char* name : {"llama-i", "gpt2-a", "falcon-a", "bert-a", "vit-b", "marian-a"}) {
    const std::string dir = test::golden_dir(name), out = temporary(name) + ".safetensors";
    ForwardRequest request{
        .directory = dir, .input = dir + "/golden.safetensors", .output = out, .dtype = "bf16"};
    run_forward(request);
    const SafetensorsFile got(out), wanted(dir + "/golden.safetensors");
    // Rounded weights are off by 2^-9: the numbers are near, and equal where the file is bf16.
    const double tolerance = std::string(name) == "llama-i" ? 1e-4 : 0.1;
    EXPECT_LE(test::relative_distance(got.get("logits"), wanted.get("logits")), tolerance) << name;
    request.grads = true;
    EXPECT_EQ(error_of<UsageError>([&] { run_forward(request); }),
              "forward: --grads goes with weights in f32, found --dtype bf16");
  }
  EXPECT_EQ(error_of<UsageError>(
                [] { bench_train({.preset = "tiny", .settings = {}, .dtype = "bf16"}); }),
            "bench train: weights in bf16 are not trained, wanted f32");
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
    EXPECT_GT(found->vocab, 10);
    EXPECT_GT(Generator(dir).generate("a", {.predict = 2}).ids.size(), 0u);
    EXPECT_EQ(InspectSubject(dir).tokens("a").empty(), false);
  }
}

TEST(Model, EveryPresetOfADecoderIsSavedAndOpenedAgain) {
  for (const char* family : {"llama", "falcon"}) {
    for (const Family::Preset& preset : family_named(family).presets) {
      if (std::string(preset.name) == "base") continue;  // hundreds of megabytes
      const std::string dir = temporary(std::string(family) + preset.name);
      std::filesystem::remove_all(dir);
      make_new_model({.directory = dir,
                      .family = family,
                      .preset = preset.name,
                      .settings = {"vocab_size=33", "eos_token_id=7"}});
      const Model model = open_model(dir);
      EXPECT_EQ(model.vocab, 33);
      EXPECT_EQ(*model.config.find("eos_token_id"), Json(7));
      EXPECT_TRUE(model.config.find("bos_token_id")->is_null());
      const std::string first = read_file(dir + "/model.safetensors");
      save_model(model, dir);
      EXPECT_EQ(read_file(dir + "/model.safetensors"), first) << family << " " << preset.name;
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

}  // namespace
}  // namespace jogak
