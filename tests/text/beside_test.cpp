// What stands beside tokenizer.json and differs from it is refused: transformers would follow it.
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temp_dir.h"
#include "tests/text/helpers.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

class Beside : public testing::Test {
 protected:
  TempDir dir;
  void SetUp() override { write_tokenizer(true); }
  void write_tokenizer(bool lowercase) {
    write("tokenizer.json",
          text_of(R"({"version": "1.0", "added_tokens": [{"id": 2, "content": "<x>",
      "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
      "special": true}], "normalizer": {"type": "BertNormalizer", "clean_text": true,
      "handle_chinese_chars": true, "strip_accents": null, "lowercase": )",
                  lowercase ? "true" : "false", R"(}, "pre_tokenizer": {"type": "BertPreTokenizer"},
      "post_processor": null, "decoder": null, "model": {"type": "WordPiece",
      "unk_token": "u", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9,
      "vocab": {"u": 0, "a": 1}}})"));
  }
  void write(const char* name, const std::string& text) { write_file(dir / name, text); }
  std::string refused() {
    return error_of<FormatError>([&] { Tokenizer::load(dir / "."); });
  }
  int tokens() { return Tokenizer::load(dir / ".").vocab_size(); }
};

TEST_F(Beside, AddedTokensThatTokenizerJsonLacks) {
  write("added_tokens.json", R"({"<x>": 2})");
  EXPECT_EQ(tokens(), 3);
  write("added_tokens.json", R"({"<x>": 2, "<y>": 3})");
  EXPECT_NE(refused().find("added_tokens.json: byte 18: token \"<y>\" has id 3, in tokenizer.json "
                           "it is missing"),
            std::string::npos)
      << refused();
  write("added_tokens.json", R"({"<x>": 5})");
  EXPECT_NE(refused().find("token \"<x>\" has id 5, in tokenizer.json it has 2"),
            std::string::npos);
}

TEST_F(Beside, TheListOfTokenizerConfig) {
  write("tokenizer_config.json", R"({"added_tokens_decoder": {"2": {"content": "<x>"}}})");
  EXPECT_EQ(tokens(), 3);
  write("tokenizer_config.json", R"({"added_tokens_decoder": {"3": {"content": "<y>"}}})");
  EXPECT_NE(refused().find("tokenizer_config.json: byte 31: token \"<y>\" has id 3"),
            std::string::npos)
      << refused();
}

TEST_F(Beside, LowercaseOfTheClassesThatFollowIt) {
  for (const char* name : {"BertTokenizer", "BertTokenizerFast", "ElectraTokenizer"}) {
    const auto config = [&](const char* more) {
      write("tokenizer_config.json", text_of(R"({"tokenizer_class": ")", name, "\"", more, "}"));
    };
    write_tokenizer(true);
    config(R"(, "do_lower_case": true)");
    EXPECT_EQ(tokens(), 3);
    config(R"(, "do_lower_case": false)");
    EXPECT_NE(refused().find("\"do_lower_case\": false for a "), std::string::npos) << refused();
    write_tokenizer(false);
    EXPECT_EQ(tokens(), 3);
    config("");  // true is meant
    EXPECT_NE(refused().find("but tokenizer.json has \"lowercase\": false"), std::string::npos);
  }
  write("tokenizer_config.json",
        R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true})");
  EXPECT_EQ(tokens(), 3) << "tokenizer.json alone counts";
}

TEST_F(Beside, TheRestOfBertsNormalizerIsMadeAnewToo) {
  const std::string config = "tokenizer_config.json", file = dir / "tokenizer.json";
  for (const char* name : {"BertTokenizer", "DistilBertTokenizerFast", "MPNetTokenizer"}) {
    write_tokenizer(true);
    const std::string begin = text_of(R"({"tokenizer_class": ")", name, "\"");
    write(config.c_str(), begin + R"(, "strip_accents": true})");
    EXPECT_EQ(tokens(), 3) << "what lowering means anyway";
    write(config.c_str(), begin + R"(, "strip_accents": false})");
    EXPECT_NE(refused().find("\"strip_accents\": false for a "), std::string::npos) << refused();
    write(config.c_str(), begin + R"(, "tokenize_chinese_chars": false})");
    EXPECT_NE(refused().find("but tokenizer.json has \"handle_chinese_chars\": true"),
              std::string::npos)
        << refused();
    write(config.c_str(), begin + "}");
    for (const char* key : {"clean_text", "handle_chinese_chars"}) {
      write_tokenizer(true);
      std::string text = read_file(file);
      const std::string there = text_of("\"", key, "\": true");
      write_file(file,
                 text.replace(text.find(there), there.size(), text_of("\"", key, "\": false")));
      EXPECT_NE(refused().find(text_of("has \"", key, "\": false")), std::string::npos)
          << refused();
    }
  }
}

TEST_F(Beside, WhereNothingNamesAClassTheModelDoes) {
  write_tokenizer(false);
  for (const char* type : {"bert", "electra", "mpnet", "distilbert"}) {
    write("config.json", text_of(R"({"model_type": ")", type, "\"}"));
    EXPECT_NE(refused().find("but tokenizer.json has \"lowercase\": false"), std::string::npos);
  }
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(tokens(), 3);
  write("tokenizer_config.json", "{}");
  for (const char* config :
       {R"({"model_type": "modernbert"})", R"({"model_type": "bert", "tokenizer_class": "Own"})"}) {
    write("config.json", config);
    EXPECT_EQ(tokens(), 3) << config;
  }
}

}  // namespace
}  // namespace jogak
