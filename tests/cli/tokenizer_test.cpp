#include "text/tokenizer.h"
#include "base/file.h"
#include "base/hash/hash.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tokenizer_kinds.h"
#include "text/train/bpe.h"

namespace jogak {
namespace {

Json line_of(const std::string& text) {
  return parse_json(text.substr(0, text.find('\n')), "line");
}

TEST(TokenizerCommand, TrainsCharactersAndGoesThereAndBack) {
  const TempDir dir;
  write_file(dir / "a.txt", "나비야 나비야\n이리 날아 오너라\n");
  const Result made = jogak({"tokenizer", "train", "--type", "char", "--special", "<|endoftext|>",
                             "<pad>", "--files", dir / "a.txt", "--out", dir / "tok", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json info = line_of(made.out);
  EXPECT_EQ(info.find("vocab_size")->integer(), 14);  // 12 characters and the two
  EXPECT_EQ(info.find("roles")->find("eos_token")->text(), "<|endoftext|>");
  EXPECT_EQ(info.find("roles")->find("pad_token")->text(), "<pad>");

  const Result encoded = jogak({"tokenizer", "encode", dir / "tok"}, {.input = "나비\n\n라<pad>"});
  EXPECT_EQ(encoded.code, 0) << encoded.err;
  const Tokenizer tokenizer = Tokenizer::load(dir / "tok");
  const Json first = line_of(encoded.out);
  EXPECT_EQ(first.find("ids")->dump(), Json::list(tokenizer.encode_ids("나비")).dump());
  EXPECT_EQ(first.find("tokens")->dump(), "[\"나\",\"비\"]");
  EXPECT_EQ(first.find("offsets")->dump(), "[[0,1],[1,2]]");
  EXPECT_NE(encoded.out.find("\n{\"ids\":[],\"tokens\":[],\"offsets\":[]}\n"), std::string::npos);

  const std::string ids = Json::list(tokenizer.encode_ids("라<pad>나")).dump() + "\n";
  EXPECT_EQ(jogak({"tokenizer", "decode", dir / "tok", "--jsonl"}, {.input = ids}).out,
            "\"라나\"\n");
  EXPECT_EQ(
      jogak({"tokenizer", "decode", dir / "tok", "--jsonl", "--keep-special"}, {.input = ids}).out,
      "\"라<pad>나\"\n");
}

TEST(TokenizerCommand, BenchTellsSpeedAndWhatWasMade) {
  const TempDir dir;
  const std::string text = "나비야 나비야\n이리 날아 오너라\n호랑나비\n";
  write_file(dir / "a.txt", text);
  write_file(dir / "empty.txt", "");
  ASSERT_EQ(jogak({"tokenizer", "train", "--type", "char", "--files", dir / "a.txt", "--out",
                   dir / "tok", "--overwrite"})
                .code,
            0);
  const Result got = jogak({"bench", "tokenizer", dir / "tok", dir / "a.txt", "--document", "20",
                            "--rounds", "1", "--json"});
  ASSERT_EQ(got.code, 0) << got.err;
  const Json info = line_of(got.out);
  const std::vector<int> ids = Tokenizer::load(dir / "tok").encode_ids(text);
  EXPECT_EQ(info.find("bytes")->integer(), static_cast<int64_t>(text.size()));
  EXPECT_EQ(info.find("documents")->integer(), 3);  // lines of 20, 24 and 13 bytes
  EXPECT_EQ(info.find("tokens")->integer(), static_cast<int64_t>(ids.size()));
  EXPECT_EQ(info.find("ids_sha256")->text(),
            sha256_hex({reinterpret_cast<const char*>(ids.data()), 4 * ids.size()}));
  EXPECT_EQ(info.find("text_sha256")->text(), sha256_hex(text));
  for (const char* key : {"load_ms", "encode_mb_s", "encode_full_mb_s", "decode_mb_s"})
    EXPECT_GT(info.find(key)->number(), 0) << key;
  EXPECT_EQ(jogak({"bench", "tokenizer", dir / "tok", dir / "empty.txt"}).code, 2);
}

TEST(TokenizerCommand, TrainsTheSameBpeAsTheLibrary) {
  const TempDir dir;
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 40; ++i) lines.push_back(text_of("the night, the knight ", i % 7, " \n\n"));
  for (const std::string& line : lines) text += line;
  write_file(dir / "a.txt", text.substr(0, 100));
  write_file(dir / "b.txt", text.substr(100));
  const Result made =
      jogak({"tokenizer", "train", "--vocab-size=300", "--min_frequency", "3", "--special=<s>",
             "--files", dir / "a.txt", dir / "b.txt", "--out", dir / "tok"});
  ASSERT_EQ(made.code, 0) << made.err;
  std::vector<std::string_view> texts;
  for (std::string_view part :
       {std::string_view(text).substr(0, 100), std::string_view(text).substr(100)})
    while (!part.empty()) {
      const size_t end = std::min(part.find('\n'), part.size() - 1) + 1;
      texts.push_back(part.substr(0, end));
      part.remove_prefix(end);
    }
  Tokenizer library = train_bpe(texts, {.vocab_size = 300,
                                        .min_frequency = 3,
                                        .special_tokens = {"<s>"},
                                        .normal_form = text::NormalForm::nfc});
  EXPECT_EQ(read_file(dir / "tok/tokenizer.json"), library.to_json());
}

TEST(TokenizerCommand, JsonStringsKeepWhatLinesCannot) {
  const TempDir dir;
  train_bpe({}, {.vocab_size = 256}).save(dir.path());
  const std::string text = "a\n\t\"한\" 🙂";
  const Result encoded = jogak({"tokenizer", "encode", dir / "tokenizer.json", "--jsonl"},
                               {.input = json_quote(text) + "\n"});
  ASSERT_EQ(encoded.code, 0) << encoded.err;
  const Result decoded = jogak({"tokenizer", "decode", dir.path(), "--jsonl"},
                               {.input = line_of(encoded.out).find("ids")->dump() + "\n"});
  EXPECT_EQ(line_of(decoded.out).text(), text);
  EXPECT_EQ(jogak({"tokenizer", "decode", dir.path()}, {.input = "64 65, 66\n"}).out, "abc\n");
}

TEST(TokenizerCommand, MalformedFilesGiveOneLineAndExitCode65) {
  const TempDir dir;
  for (const MalformedTokenizer& one : malformed_tokenizers()) {
    write_file(dir / one.name, one.bytes);
    const Result got = jogak({"tokenizer", "encode", dir / one.name}, {.input = "a\n"});
    EXPECT_EQ(got.code, 65) << one.kind << ": " << got.err;
    EXPECT_TRUE(got.err.starts_with("jogak: " + (dir / one.name) + ": byte ")) << got.err;
    EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << got.err;
    EXPECT_EQ(got.out, "");
  }
}

TEST(TokenizerCommand, UnigramIsWrittenInBothForms) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += text_of("조각을 읽는 학교에서 ", i % 37, " reading the kingdom of ", i % 11, "\n");
  write_file(dir / "a.txt", text);
  const Result trained =
      jogak({"tokenizer", "train", "--type", "unigram", "--vocab-size", "45", "--special", "</s>",
             "<pad>", "--files", dir / "a.txt", "--out", dir / "tok", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(trained.err, "");
  const Json made = line_of(trained.out);
  EXPECT_EQ(made.find("vocab_size")->integer(), 45);
  EXPECT_EQ(made.find("roles")->find("eos_token")->text(), "</s>");
  EXPECT_EQ(made.find("roles")->find("unk_token")->text(), "<unk>");
  const Result model =
      jogak({"tokenizer", "encode", dir / "tok/tokenizer.model"}, {.input = "조각을 reading\n"});
  ASSERT_EQ(model.code, 0) << model.err;
  const std::string ids = line_of(model.out).find("ids")->dump();
  EXPECT_EQ(
      jogak({"tokenizer", "decode", dir / "tok/tokenizer.model", "--jsonl"}, {.input = ids + "\n"})
          .out,
      "\"조각을 reading\"\n");
  EXPECT_TRUE(file_exists(dir / "tok/tokenizer.json"));
  // Another type in the same directory: no file of the unigram stays.
  ASSERT_EQ(jogak({"tokenizer", "train", "--type", "char", "--files", dir / "a.txt", "--out",
                   dir / "tok", "--overwrite"})
                .code,
            0);
  EXPECT_FALSE(file_exists(dir / "tok/tokenizer.model"));
  const Result high = jogak({"tokenizer", "train", "--type", "unigram", "--vocab-size", "9000",
                             "--files", dir / "a.txt", "--out", dir / "high"});
  EXPECT_EQ(high.code, 2);
  EXPECT_EQ(high.err.substr(0, 51), "jogak: vocabulary size: found 9000, wanted at most ");
}

constexpr const char* kApart = "\u1112\u1161\u11ab\u1100\u1173\u11af";  // 한글, taken apart

std::string ids_of(const std::string& tokenizer, const std::string& text) {
  const Result got = jogak({"tokenizer", "encode", tokenizer}, {.input = text + "\n"});
  EXPECT_EQ(got.code, 0) << got.err;
  return line_of(got.out).find("ids")->dump();
}

TEST(TokenizerCommand, EveryTypeComposesKoreanUnlessToldNotTo) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 60; ++i)
    text +=
        text_of("한글 글자를 읽는 학교에서 ", i % 37, " reading ", i % 5 ? "한글" : kApart, "\n");
  write_file(dir / "a.txt", text);
  const std::vector<Arguments> types = {{"char", "--unk", "<unk>"},
                                        {"bpe", "--vocab-size", "300"},
                                        {"bpe", "--metaspace", "--vocab-size", "300"},
                                        {"wordpiece", "--vocab-size", "90"},
                                        {"unigram", "--vocab-size", "34"},
                                        {"unigram", "--vocab-size", "34", "--normalize", "nfkc"}};
  for (const Arguments& type : types) {
    SCOPED_TRACE(type[0]);
    Arguments words = {"tokenizer", "train", "--files", dir / "a.txt", "--type"};
    words.insert(words.end(), type.begin(), type.end());
    std::string first;
    for (const char* out : {"one", "two"}) {  // the same text twice: the same bytes
      Arguments all = words;
      all.insert(all.end(), {"--out", dir / out, "--overwrite"});
      const Result made = jogak(all);
      ASSERT_EQ(made.code, 0) << made.err;
      EXPECT_EQ(made.err, "");
      const std::string json = read_file(dir / out + "/tokenizer.json");
      EXPECT_TRUE(first.empty() || json == first);
      first = json;
    }
    EXPECT_EQ(ids_of(dir / "one", kApart), ids_of(dir / "one", "한글"));
  }
  ASSERT_EQ(jogak({"tokenizer", "train", "--type", "bpe", "--vocab-size", "300", "--normalize",
                   "none", "--files", dir / "a.txt", "--out", dir / "none"})
                .code,
            0);
  EXPECT_NE(ids_of(dir / "none", kApart), ids_of(dir / "none", "한글"));
}

TEST(TokenizerCommand, WordPieceHasBertsTokens) {
  const TempDir dir;
  write_file(dir / "a.txt", "Sing singing SING.\n학교에서 학교에서\n");
  const Result made =
      jogak({"tokenizer", "train", "--type", "wordpiece", "--lowercase", "--vocab-size", "60",
             "--files", dir / "a.txt", "--out", dir / "tok", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json roles = *line_of(made.out).find("roles");
  for (const auto& [role, token] :
       {std::pair("unk_token", "[UNK]"), std::pair("pad_token", "[PAD]"),
        std::pair("mask_token", "[MASK]")})
    EXPECT_EQ(roles.find(role)->text(), token);
  const Result got = jogak({"tokenizer", "encode", dir / "tok"}, {.input = "Sing 학교에서\n"});
  EXPECT_EQ(line_of(got.out).find("tokens")->dump(), "[\"[CLS]\",\"sing\",\"학교에서\",\"[SEP]\"]");
  const Result idle = jogak({"tokenizer", "train", "--type", "char", "--metaspace", "--files",
                             dir / "a.txt", "--out", dir / "tok", "--overwrite"});
  EXPECT_EQ(idle.code, 0);
  EXPECT_NE(idle.err.find("--metaspace: has a meaning for bpe only"), std::string::npos);
}

TEST(TokenizerCommandErrors, SaysWhatIsWrong) {
  const TempDir dir;
  train_bpe({}, {.vocab_size = 256}).save(dir.path());
  const auto refuse = [&](const Arguments& words, int code, const std::string& message,
                          const std::string& input = "") {
    const Result got = jogak(words, {.input = input});
    EXPECT_EQ(got.code, code);
    EXPECT_EQ(got.err, "jogak: " + message + "\n");
  };
  const Arguments decode = {"tokenizer", "decode", dir.path(), "--jsonl"};
  refuse(decode, 65, "standard input: byte 4: line 1: found -1, wanted an id from 0 to 2147483647",
         "[1, -1]\n");
  refuse(decode, 65, "standard input: byte 10: line 2: found a string, wanted a whole number",
         "[1]\n[1, 2,\"3\"]\n");
  refuse({"tokenizer", "decode", dir.path()}, 65,
         "standard input: byte 2: line 1: found \"x\", wanted an id", "1 x\n");
  refuse({"tokenizer", "train", "--type", "word", "--files", "a", "--out", "b"}, 2,
         "--type: found \"word\", wanted char, bpe, wordpiece or unigram "
         "(did you mean \"wordpiece\"?)");
  refuse({"tokenizer", "train", "--normalize", "nfd", "--files", "a", "--out", "b"}, 2,
         "--normalize: found \"nfd\", wanted nfc, nfkc or none (did you mean \"nfc\"?)");
  write_file(dir / "bad.txt", "fine\nbad \xc3\n");
  refuse({"tokenizer", "train", "--files", dir / "bad.txt", "--out", dir / "t"}, 65,
         (dir / "bad.txt") + ": byte 9: found bytes that are not UTF-8, wanted UTF-8 text");
  refuse({"tokenizer", "train", "--vocab-size", "100", "--files", dir / "tokenizer.json", "--out",
          dir / "t"},
         2, "vocabulary size: found 100, wanted at least 256 (256 bytes and 0 special tokens)");
}

}  // namespace
}  // namespace jogak
