// GGUF files that llama.cpp's converter wrote become the directories they were made from.
#include "app/tools/convert.h"

#include "app/models/model.h"
#include "base/file.h"
#include "io/model_files.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

std::string golden(const std::string& name) { return source_path("tests/goldens/gguf/" + name); }

// Of one direction to the other; 0 for the plain types, which hold every value exactly.
double error_share(const std::string& name) { return name == "gemma3" ? 0.02 : 0; }

class Converted : public testing::TestWithParam<const char*> {
 protected:
  TempDir dir;
  const std::string name = GetParam(), out = dir / "model";
  const Json told = read_json_file(golden(name + ".json"));
  void SetUp() override { convert_gguf({.file = golden(name + ".gguf"), .out = out}); }
};

TEST_P(Converted, WeightsAreThoseThatTransformersSaved) {
  const ModelFiles files(out);
  const SafetensorsFile wanted(golden(name + ".safetensors"));
  EXPECT_EQ(files.names(), wanted.names());
  for (const std::string& tensor : wanted.names()) {
    const std::vector<float> a = to_host<float>(files.get(tensor)),
                             b = to_host<float>(wanted.get(tensor));
    ASSERT_EQ(files.info(tensor).shape, wanted.info(tensor).shape) << tensor;
    float largest = 0, apart = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(b[i]));
      apart = std::max(apart, std::abs(a[i] - b[i]));
    }
    EXPECT_LE(apart, error_share(name) * largest) << tensor;
  }
}

TEST_P(Converted, ConfigurationsMeanTheSame) {
  const std::string file = join_path(out, "config.json");
  const Json ours = read_json_file(file), &theirs = *told.find("config");
  const Family& family = family_of(ours, file);
  Json a = family.complete(ours, file), b = family.complete(theirs, name);
  for (const char* rounded : {"rms_norm_eps", "layer_norm_epsilon"})  // f32 in the file
    if (const Json* eps = a.find(rounded)) {
      EXPECT_NEAR(eps->number(), b.find(rounded)->number(), 1e-12);
      b.set(rounded, *eps);
    }
  EXPECT_EQ(a.dump(1), b.dump(1));
}

TEST_P(Converted, TokenizersGiveTheSameIds) {
  const Tokenizer tokenizer = Tokenizer::load(out);
  for (const Json& pair : told.find("texts")->items()) {
    const std::string& text = pair.items()[0].text();
    std::vector<int> wanted;
    for (const Json& id : pair.items()[1].items()) wanted.push_back(static_cast<int>(id.integer()));
    EXPECT_EQ(tokenizer.encode_ids(text), wanted) << json_quote(text);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Converted,
                         testing::Values("llama", "llama3", "qwen2", "qwen3", "gemma", "gemma2",
                                         "gemma3", "olmo2", "phi3", "gpt2"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Convert, MatricesTakeTheTypeThatIsAskedFor) {
  const TempDir dir;
  convert_gguf({.file = golden("gemma3.gguf"), .out = dir / "m", .dtype = "bf16"});
  const ModelFiles files(dir / "m");
  EXPECT_EQ(files.info("model.embed_tokens.weight").type->dtype, DType::bf16);
  EXPECT_EQ(files.info("model.norm.weight").type->dtype, DType::f32);
}

TEST(Convert, ChatTemplatesComeAlong) {
  const TempDir dir;
  convert_gguf({.file = golden("llama.gguf"), .out = dir / "m"});
  const Json config = read_json_file(dir / "m/tokenizer_config.json");
  EXPECT_EQ(config.find("chat_template")->text(), "{{ messages[0]['content'] }}");
}

TEST(ConvertErrors, NothingIsLeftBehind) {
  const TempDir dir;
  std::string bytes = read_file(golden("llama.gguf"));
  const auto refused = [&](const std::string& what) {
    write_file(dir / "x.gguf", bytes);
    const std::string message =
        error_of<FormatError>([&] { convert_gguf({.file = dir / "x.gguf", .out = dir / "m"}); });
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_FALSE(file_exists(dir / "m"));
  };
  const std::string arch = "general.architecture";
  const size_t at = bytes.find(arch) + arch.size() + 4 + 8;
  ASSERT_EQ(bytes.substr(at, 5), "llama");
  bytes.replace(at, 5, "llamb");
  refused("\"general.architecture\": found \"llamb\", wanted one of llama, qwen2");
  bytes.replace(at, 5, "llama");
  const size_t tensor = bytes.find("blk.0.ffn_gate.weight");
  bytes.replace(tensor, 21, "blk.0.ffn_gaze.weight");
  refused("found a tensor blk.0.ffn_gaze.weight, which no llama model has");
}

TEST(ConvertErrors, AModelThatIsThereStays) {
  const TempDir dir;
  const ConvertOptions options{.file = golden("gpt2.gguf"), .out = dir / "m"};
  convert_gguf(options);
  const std::string message = error_of<UsageError>([&] { convert_gguf(options); });
  EXPECT_NE(message.find("a gpt2 model"), std::string::npos) << message;
}

}  // namespace
}  // namespace jogak
