// Tokenizers of encoder-decoders as transformers' classes read them; the goldens are written by
// make_languages.py.
#include "text/languages.h"

#include "tests/text/helpers.h"
#include "text/pair_tokenizer.h"

namespace jogak {
namespace {

Json ours(const PairTokenizer& pair, const Json& wanted) {
  const std::string& text = wanted.find("text")->text();
  const std::vector<int> target = pair.target.encode_ids(text);
  return Json::object({{"languages", *wanted.find("languages")},
                       {"text", text},
                       {"source", Json::list(pair.source.encode_ids(text))},
                       {"target", Json::list(target)},
                       {"decoded", pair.target.decode(target)}});
}

TEST(LanguageGolden, IdsAndTextOfBothSides) {
  const Json file = read_json_file(golden("language_cases.json"));
  for (const Json& directory : file.find("directories")->items()) {
    const std::string folder = golden(directory.find("name")->text());
    SCOPED_TRACE(folder);
    for (const Json& one : directory.find("cases")->items()) {
      const auto& named = one.find("languages")->items();
      const PairLanguages asked{named[0].text(), named[1].text()};
      const PairTokenizer pair = load_pair_tokenizer(folder, asked);
      EXPECT_EQ(ours(pair, one).dump(), one.dump());
      const std::string again = folder_for_test();
      save_pair_tokenizer(pair, again);
      EXPECT_EQ(ours(load_pair_tokenizer(again), one).dump(), one.dump()) << "written and read";
    }
  }
}

// Directories that ship SentencePiece alone, as transformers' classes over SentencePiece read them;
// the golden is written by make_fairseq.py.
TEST(FairseqGolden, IdsAndTextOfBothSides) {
  const Json file = read_json_file(golden("fairseq_cases.json"));
  for (const Json& directory : file.find("directories")->items()) {
    const std::string folder = golden(directory.find("name")->text());
    SCOPED_TRACE(folder);
    const auto& named = directory.find("languages")->items();
    const PairLanguages asked{named[0].text(), named[1].text()};
    const PairTokenizer pair = load_pair_tokenizer(folder, asked);
    for (const Json& one : directory.find("cases")->items()) {
      const std::string& text = one.items()[0].text();
      const std::vector<int> ids = pair.source.encode_ids(text);
      EXPECT_EQ(Json::list(ids).dump(), one.items()[1].dump()) << json_quote(text);
      EXPECT_EQ(Json::list(pair.target.encode_ids(text)).dump(), one.items()[2].dump())
          << json_quote(text);
      EXPECT_EQ(pair.source.decode(ids), one.items()[3].text()) << json_quote(text);
    }
  }
}

// Where no file lists them, languages follow the pieces, and the mask is last: facebook's
// nllb-200 has eng_Latn at 256047 of 256000 pieces, and mbart-large-cc25 ko_KR at 250014.
TEST(Fairseq, LanguagesFollowThePieces) {
  const std::string folder = folder_for_test();
  make_directories(folder);
  write_file(join_path(folder, "sentencepiece.bpe.model"),
             read_file(golden("fairseq-nllb/sentencepiece.bpe.model")));
  write_file(join_path(folder, "tokenizer_config.json"),
             "{\"tokenizer_class\": \"NllbTokenizer\"}");
  const PairTokenizer listed = load_pair_tokenizer(golden("fairseq-nllb")),
                      counted = load_pair_tokenizer(folder);
  for (const char* token : {"ace_Arab", "eng_Latn", "zul_Latn", "<mask>"})
    EXPECT_EQ(counted.source.token_to_id(token), listed.source.token_to_id(token)) << token;
  EXPECT_EQ(counted.source.token_to_id("eng_Latn"), 420 + 47);
  write_file(join_path(folder, "config.json"), "{\"model_type\": \"mbart\"}");
  write_file(join_path(folder, "tokenizer_config.json"), "{}");
  EXPECT_EQ(load_pair_tokenizer(folder, {"en_XX", "ko_KR"}).target_language(), 420 + 14);
}

TEST(FairseqErrors, AModelThatBeginsOtherwiseIsRefused) {
  const std::string folder = folder_for_test();
  make_directories(folder);
  write_file(join_path(folder, "sentencepiece.bpe.model"), read_file(golden("t5/spiece.model")));
  write_file(join_path(folder, "tokenizer_config.json"),
             "{\"tokenizer_class\": \"MBartTokenizer\"}");
  EXPECT_NE(error_of<FormatError>([&] { load_pair_tokenizer(folder); }).find("<unk>, <s> and </s>"),
            std::string::npos);
}

TEST(Languages, StandBeforeATextOrBehindIt) {
  const PairTokenizer nllb = load_pair_tokenizer(golden("nllb"), {"eng_Latn", "kor_Hang"});
  EXPECT_EQ(nllb.source.encode_ids("")[0], *nllb.source.token_to_id("eng_Latn"));
  EXPECT_EQ(nllb.target_language(), *nllb.target.token_to_id("kor_Hang"));
  EXPECT_EQ(nllb.start(7), 7);
  const PairTokenizer mbart = load_pair_tokenizer(golden("mbart"), {"en_XX", "ko_KR"});
  EXPECT_EQ(mbart.start(7), *mbart.target.token_to_id("ko_KR"));
  EXPECT_EQ(load_pair_tokenizer(golden("mbart")).target_language(), -1);
}

// The class of an mBART takes "en_XX" for granted; a vocabulary without languages is read without.
TEST(Languages, AreLeftOutWhereTheVocabularyHasNone) {
  const TempDir dir;
  write_file(dir / "config.json", R"({"model_type": "mbart"})");
  write_file(dir / "tokenizer.json",
             R"({"model": {"type": "WordLevel", "vocab": {"a": 0, "</s>": 1}, "unk_token": "a"}})");
  write_file(dir / "tokenizer_config.json", R"({"eos_token": "</s>"})");
  const PairTokenizer plain = load_pair_tokenizer(dir.path());
  EXPECT_FALSE(plain.style.has_value());
  EXPECT_EQ(plain.source.encode_ids("a"), std::vector<int>{0});
  EXPECT_NE(error_of<UsageError>([&] {
              load_pair_tokenizer(dir.path(), {"en_XX", ""});
            }).find("the tokenizer has no such token"),
            std::string::npos);
  write_file(dir / "tokenizer_config.json", R"({"eos_token": "</s>", "src_lang": "ko_KR"})");
  EXPECT_NE(error_of<UsageError>([&] { load_pair_tokenizer(dir.path()); }).find("ko_KR"),
            std::string::npos);
}

TEST(RemoteCode, OfATokenizerIsNamedAndNotRun) {
  const TempDir dir;
  write_file(dir / "tokenizer.json",
             R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
  write_file(dir / "tokenizer_config.json",
             R"({"auto_map": {"AutoTokenizer": ["tokenization_x.XTokenizer", null]}})");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Tokenizer::load(dir.path()).encode_ids("a"), std::vector<int>{0});
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("tokenization_x.XTokenizer"), std::string::npos) << told;
  EXPECT_NE(told.find("remote code is not run"), std::string::npos) << told;
}

TEST(LanguageErrors, NameWhatIsMissing) {
  EXPECT_NE(error_of<UsageError>([] {
              load_pair_tokenizer(golden("nllb"), {"", "kor_Hanf"});
            }).find("kor_Hang"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>([] {
              load_pair_tokenizer(golden("t5"), {"en", ""});
            }).find("does not tell languages apart"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
