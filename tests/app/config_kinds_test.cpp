// Every kind of malformed config.json is refused with one line: file, byte, reason.
#include "tests/support/config_kinds.h"

#include <filesystem>

#include "app/models/model.h"
#include "app/use/generator.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using config_kinds::golden_path;
using config_kinds::with;

struct Directory {
  TempDir dir;
  std::string path = dir / "model", file = path + "/config.json";
  Directory(const std::string& golden, const std::string& config) {
    make_directories(path);
    std::filesystem::copy(golden_path(golden) + "/model.safetensors", path);
    write_file(file, config);
  }
};

TEST(ConfigKinds, EveryKindWithFilePlaceAndReason) {
  for (const MalformedConfig& one : malformed_configs()) {
    SCOPED_TRACE(text_of("kind ", one.kind, ": ", one.golden, ", ", one.reason));
    const Directory at(one.golden, one.config);
    const std::string error = error_of<FormatError>([&] { open_model(at.path); });
    EXPECT_NE(error.find(one.reason), std::string::npos) << error.substr(0, 400);
    EXPECT_EQ(error.find('\n'), std::string::npos);
    if (!one.placed) {
      EXPECT_TRUE(error.starts_with(at.path + ": ")) << error.substr(0, 400);
      continue;
    }
    const std::string start = at.file + ": byte ";
    ASSERT_TRUE(error.starts_with(start)) << error;
    EXPECT_LE(std::stoull(error.substr(start.size())), one.config.size());
    EXPECT_LT(error.size(), at.file.size() + 300);
  }
}

// Keys nobody reads, the code of a family by its own name, sizes that leave something over.
TEST(ConfigKinds, WhatMustBeAccepted) {
  const struct {
    const char *golden, *key, *value;
  } cases[] = {
      {"gpt2-a", "a_key_of_tomorrow", R"({"deep":[[["x"]]]})"},  // A19
      {"gpt2-a", "auto_map", "null"},
      {"falcon-a", "auto_map",
       R"({"AutoConfig":"configuration_falcon.FalconConfig",
           "AutoModelForCausalLM":"tiiuae/falcon-7b--modeling_falcon.FalconForCausalLM",
           "AutoTokenizer":[null,null]})"},
      {"gpt2-a", "eos_token_id", "97"},  // 105: nothing is generated here
  };
  for (const auto& c : cases) {
    const Directory at(c.golden, with(c.golden, c.key, c.value));
    EXPECT_NO_THROW(open_model(at.path)) << c.golden << " " << c.key;
  }
}

// Refused by its key before any weight is looked at; names that older versions wrote are not.
TEST(ConfigKinds, AHeadThatIsNotReadIsRefusedByItsKey) {
  const struct {
    const char *golden, *found, *wanted;
  } cases[] = {{"llama-a", "LlamaForSequenceClassification", "LlamaForCausalLM"},
               {"qwen3-a", "Qwen3ForTokenClassification", "Qwen3ForCausalLM"},
               {"gpt2-a", "GPT2DoubleHeadsModel", "GPT2LMHeadModel"},
               {"t5-a", "T5EncoderModel", "T5ForConditionalGeneration"},
               {"t5-a", "T5ForQuestionAnswering", "T5ForConditionalGeneration"},
               {"bart-a", "BartForSequenceClassification", "BartForConditionalGeneration"},
               {"bart-a", "BartForCausalLM", "BartForConditionalGeneration"},
               {"marian-a", "MarianForCausalLM", "MarianMTModel"}};
  for (const auto& c : cases) {
    const Directory at(c.golden, with(c.golden, "architectures", text_of("[\"", c.found, "\"]")));
    const std::string error = error_of<FormatError>([&] { open_model(at.path); });
    EXPECT_TRUE(error.starts_with(at.file + ": byte ")) << error;
    EXPECT_NE(error.find(text_of("\"architectures\": found \"", c.found, "\", wanted ", c.wanted)),
              std::string::npos)
        << error;
  }
  const char* accepted[][2] = {{"falcon-a", "RWForCausalLM"},
                               {"gpt2-a", "GPT2Model"},
                               {"t5-a", "T5WithLMHeadModel"},
                               {"bart-a", "BartModel"}};
  for (const auto& [golden, name] : accepted) {
    const Directory at(golden, with(golden, "architectures", text_of("[\"", name, "\"]")));
    EXPECT_NO_THROW(open_model(at.path)) << name;
  }
}

TEST(ConfigKinds, AnEndThatIsNoTokenIsRefusedWhereItIsNeeded) {  // 105
  const std::string tokenizer = R"({"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}})";
  for (const char* value : {"97", "-1", "[1, 97]", "\"</s>\""}) {
    const Directory at("gpt2-a", with("gpt2-a", "eos_token_id", value));
    write_file(at.path + "/tokenizer.json", tokenizer);
    const std::string error = error_of<FormatError>(
        [&] { Generator(at.path).generate("a", {.settings = {.max_new_tokens = 1}}); });
    EXPECT_TRUE(error.starts_with(at.file + ": byte ")) << error;
    const char* wanted = *value == '"' ? "wanted an id or a list" : "wanted an id from 0 to 96";
    EXPECT_NE(error.find(wanted), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace jogak
