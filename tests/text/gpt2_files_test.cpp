// GPT-2's own files, vocab.json and merges.txt: read, and refused by their line.
#include "tests/text/helpers.h"
#include "text/train/bpe.h"

namespace jogak {
namespace {

class Gpt2Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = folder_for_test();
    const std::vector<std::string_view> texts = {"aaab aaab"};
    const Json json = parse_json(
        train_bpe(texts, {.vocab_size = 259, .special_tokens = {"<|endoftext|>"}}).to_json(),
        "json");
    vocab_ = json.find("model")->find("vocab")->dump();
  }
  Tokenizer load(const std::string& merges) const {
    write_file(join_path(folder_, "vocab.json"), vocab_);
    write_file(join_path(folder_, "merges.txt"), merges);
    return Tokenizer::load(folder_);
  }
  std::string error(const std::string& merges) const {
    const std::string message = error_of<FormatError>([&] { load(merges); });
    const std::string start = join_path(folder_, "merges.txt") + ": ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  }

  std::string folder_, vocab_;
};

TEST_F(Gpt2Files, AreReadWithOrWithoutVersionAndLastNewline) {
  for (const char* merges :
       {"#version: 0.2\na a\n", "a a", "#version: 0.2\r\na a\r\n", "a a\n\n"}) {
    const Tokenizer tokenizer = load(merges);
    EXPECT_EQ(tokenizer.encode("aab<|endoftext|>").tokens,
              (std::vector<std::string>{"aa", "b", "<|endoftext|>"}));
    EXPECT_EQ(tokenizer.role_id("eos_token"), 0);
  }
}

TEST_F(Gpt2Files, WrongMergesAreNamedByLine) {
  EXPECT_EQ(error("#version: 0.2\na a\na\n"), "line 3: the merge \"a\" has 1 part, wanted 2");
  EXPECT_EQ(error("a a\n\na a\n"), "line 2: the merge \"\" has 1 part, wanted 2");
  EXPECT_EQ(error("a a a"), "line 1: the merge \"a a a\" has 3 parts, wanted 2");
  EXPECT_EQ(error("a a\na a"), "line 2: the merge of \"a\" and \"a\" is there a second time");
  EXPECT_EQ(error("b b"),
            "line 1: the merge of \"b\" and \"b\" needs the token \"bb\", which is not in the "
            "vocabulary");
  EXPECT_EQ(error("a \xFF"), "byte 2: found a byte that is not UTF-8, wanted UTF-8 text");
}

TEST_F(Gpt2Files, MissingByteIsNamed) {
  vocab_ = R"({"a":0})";
  EXPECT_EQ(error_of<FormatError>([&] { load(""); }),
            join_path(folder_, "vocab.json") +
                ": byte 0: the vocabulary has no token \"\u0100\" for the byte value 0");
}

TEST_F(Gpt2Files, DirectoryWithoutTokenizer) {
  EXPECT_EQ(error_of<MissingError>([&] { Tokenizer::load(folder_); }),
            folder_ +
                ": no tokenizer here, wanted tokenizer.json, tokenizer.model, vocab.txt or "
                "vocab.json with merges.txt");
  EXPECT_EQ(error_of<MissingError>([&] { Tokenizer::load(folder_ + "/none.json"); }),
            folder_ + "/none.json: no such file");
}

// Directories without a tokenizer.json: what transformers' class puts around a text.
class ClassFiles : public ::testing::Test {
 protected:
  Tokenizer load(const std::vector<std::string>& special, const char* file,
                 const char* json) const {
    const std::vector<std::string_view> texts = {"ab ab"};
    const Json made = parse_json(
        train_bpe(texts,
                  {.vocab_size = 256 + static_cast<int>(special.size()), .special_tokens = special})
            .to_json(),
        "json");
    write_file(join_path(folder_, "vocab.json"), made.find("model")->find("vocab")->dump());
    write_file(join_path(folder_, "merges.txt"), "#version: 0.2\n");
    write_file(join_path(folder_, file), json);
    return Tokenizer::load(folder_);
  }
  using Tokens = std::vector<std::string>;
  std::string folder_ = folder_for_test();
};

TEST_F(ClassFiles, RobertaPutsTokensAroundATextAndBetweenTwo) {
  const Tokenizer tokenizer = load({"<s>", "<pad>", "</s>", "<unk>", "<mask>"}, "config.json",
                                   R"({"model_type": "roberta"})");
  EXPECT_EQ(tokenizer.encode("a").tokens, (Tokens{"<s>", "a", "</s>"}));
  EXPECT_EQ(tokenizer.encode_pair("a", "b").tokens,
            (Tokens{"<s>", "a", "</s>", "</s>", "b", "</s>"}));
  // The blank before it belongs to the mask.
  const std::vector<int> masked = tokenizer.encode_ids("a <mask>");
  ASSERT_EQ(masked.size(), 4u);
  EXPECT_EQ(masked[2], tokenizer.token_to_id("<mask>"));
  EXPECT_EQ(tokenizer.roles().at("pad_token"), "<pad>");
}

TEST_F(ClassFiles, OptBeginsWithItsEnd) {
  const Tokenizer tokenizer = load({"</s>", "<pad>"}, "tokenizer_config.json", R"({
    "tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": "</s>",
    "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"})");
  EXPECT_EQ(tokenizer.encode("a").tokens, (Tokens{"</s>", "a"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids("a</s>")), "a");
}

TEST_F(ClassFiles, OthersOfTheseNamesAreRefused) {
  const std::string message = error_of<FormatError>(
      [&] { load({}, "tokenizer_config.json", R"({"tokenizer_class": "Qwen2Tokenizer"})"); });
  EXPECT_NE(message.find("\"tokenizer_class\""), std::string::npos) << message;
}

TEST_F(ClassFiles, PiecesBeginAndEndAsTheConfigurationSays) {
  const std::string model = "tests/goldens/tokenizers/fairseq-mbart/sentencepiece.bpe.model";
  write_file(join_path(folder_, "tokenizer.model"), read_file(source_path(model)));
  write_file(join_path(folder_, "tokenizer_config.json"), R"({
    "tokenizer_class": "LlamaTokenizer", "add_bos_token": true, "add_eos_token": true,
    "bos_token": "<s>", "eos_token": "</s>"})");
  const Tokens tokens = Tokenizer::load(folder_).encode("the").tokens;
  ASSERT_GE(tokens.size(), 3u);
  EXPECT_EQ(tokens.front(), "<s>");
  EXPECT_EQ(tokens.back(), "</s>");
}

}  // namespace
}  // namespace jogak
