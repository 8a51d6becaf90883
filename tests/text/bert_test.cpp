#include "tests/support/temp_dir.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

// Six directories, among them one with CRLF, one with a missing [MASK], one with tokens that come
// twice, one of the files that older versions wrote.
TEST(BertFiles, EqualToTransformers) {
  const Json file = read_json_file(golden("bert_cases.json"));
  for (const Json& one : file.find("directories")->items()) {
    const std::string& name = one.find("name")->text();
    SCOPED_TRACE(name);
    const Tokenizer tokenizer = Tokenizer::load(golden("bert/" + name));
    for (const Json& wanted : one.find("cases")->items()) EXPECT_TRUE(same_as(tokenizer, wanted));
  }
}

TEST(BertFiles, RolesAndLengthComeFromTheFilesBeside) {
  const Tokenizer plain = Tokenizer::load(golden("bert/uncased"));
  EXPECT_EQ(plain.role_id("mask_token"), plain.token_to_id("[MASK]"));
  EXPECT_EQ(plain.role_id("pad_token"), 0);
  EXPECT_EQ(plain.max_length(), 512);
  const Tokenizer older = Tokenizer::load(golden("bert/older"));
  EXPECT_EQ(older.roles().at("unk_token"), "<unk>");
  EXPECT_EQ(older.role_id("cls_token"), older.token_to_id("<s>"));
  EXPECT_EQ(older.max_length(), std::nullopt);
}

TEST(BertFiles, WrittenAsTokenizerJsonItStaysTheSame) {
  const TempDir dir;
  const Tokenizer first = Tokenizer::load(golden("bert/stripped/vocab.txt"));
  first.save(dir.path());
  const Tokenizer again = Tokenizer::load(dir.path());
  for (const char* text : {"Résumé [MASK] <new>", "한국어 글자를", "漢字", ""})
    EXPECT_EQ(again.encode_ids(text), first.encode_ids(text)) << text;
  EXPECT_EQ(again.roles(), first.roles());
}

struct BertDirectory : testing::Test {
  TempDir dir;
  void vocab(const std::string& text) const { write_file(dir / "vocab.txt", text); }
  void config(const std::string& json) const { write_file(dir / "tokenizer_config.json", json); }
  std::string refused() const {
    const std::string message = error_of<FormatError>([&] { Tokenizer::load(dir.path()); });
    return message.starts_with(dir.path()) ? message.substr(dir.path().size() + 1) : message;
  }
  std::vector<int> ids(const std::string& text) const {
    return Tokenizer::load(dir.path()).encode_ids(text);
  }
};

TEST_F(BertDirectory, LastLineOfATokenCounts) {
  vocab("[UNK]\na\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n");
  EXPECT_EQ(ids("a b"), (std::vector<int>{2, 6, 0, 3}));
}

TEST_F(BertDirectory, LineEndsAndEmptyLines) {
  for (const char* end : {"\n", "\r\n", " \n"}) {
    std::string text;
    for (const char* token : {"[UNK]", "", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "a"})
      text += std::string(token) + end;
    vocab(text);
    EXPECT_EQ(ids("a"), (std::vector<int>{2, 6, 3})) << json_quote(end);
    vocab(text.substr(0, text.size() - std::string(end).size()));  // none after the last
    EXPECT_EQ(ids("a"), (std::vector<int>{2, 6, 3}));
  }
}

TEST_F(BertDirectory, MissingSpecialTokensGetTheNextIds) {
  vocab("a\n[UNK]\n");
  EXPECT_EQ(ids("a[MASK]"), (std::vector<int>{4, 0, 5, 2}));  // after [SEP] 2, [PAD] 3
}

TEST_F(BertDirectory, HostileFilesAreRefusedInOneLine) {
  vocab("");
  EXPECT_EQ(refused(), "vocab.txt: byte 0: found no tokens, wanted one a line");
  for (const char* text : {"a\nb\n", "\n", "[UNK]\r[CLS]\r"}) {
    vocab(text);
    EXPECT_EQ(refused(),
              "vocab.txt: byte 0: found no \"[UNK]\", wanted a line with it: it stands for unknown "
              "words");
  }
  vocab("[UNK]\na\xff\n");
  EXPECT_EQ(refused(), "vocab.txt: byte 7: found a byte that is not UTF-8, wanted UTF-8 text");
  // Of two lines with the same token one id stays free, and the next id is not free.
  vocab("a\n[UNK]\na\nb\nc\n");
  EXPECT_EQ(refused(), "vocab.txt: added token \"[SEP]\" has the id 4 of the token \"c\"");
}

TEST_F(BertDirectory, ConfigurationIsChecked) {
  vocab("[UNK]\na\n");
  config(R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  EXPECT_EQ(refused().substr(0, 42), "tokenizer_config.json: byte 20: \"tokenizer");
  config(R"({"do_lower_case": "yes"})");
  EXPECT_EQ(refused().substr(0, 31), "tokenizer_config.json: byte 18:");
  config(R"({"unk_token": "<none>"})");
  EXPECT_EQ(refused().substr(0, 36), "vocab.txt: byte 0: found no \"<none>\"");
  config(R"({"mask_token": 7})");
  EXPECT_EQ(refused().substr(0, 31), "tokenizer_config.json: byte 15:");
  config(R"({"added_tokens_decoder": {"x": {"content": "b"}}})");
  EXPECT_EQ(refused().substr(0, 31), "tokenizer_config.json: byte 31:");
  config(R"({"added_tokens_decoder": {"40": {"content": "b"}}})");
  EXPECT_EQ(refused(),
            "vocab.txt: byte 0: found 2 for \"b\", wanted its id 40 of the list of added tokens");
}

}  // namespace
}  // namespace jogak
