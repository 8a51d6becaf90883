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

TEST(Languages, StandBeforeATextOrBehindIt) {
  const PairTokenizer nllb = load_pair_tokenizer(golden("nllb"), {"eng_Latn", "kor_Hang"});
  EXPECT_EQ(nllb.source.encode_ids("")[0], *nllb.source.token_to_id("eng_Latn"));
  EXPECT_EQ(nllb.target_language(), *nllb.target.token_to_id("kor_Hang"));
  EXPECT_EQ(nllb.start(7), 7);
  const PairTokenizer mbart = load_pair_tokenizer(golden("mbart"), {"en_XX", "ko_KR"});
  EXPECT_EQ(mbart.start(7), *mbart.target.token_to_id("ko_KR"));
  EXPECT_EQ(load_pair_tokenizer(golden("mbart")).target_language(), -1);
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
