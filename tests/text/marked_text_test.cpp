// Tokens of text that a user wrote in part.
#include "text/marked_text.h"

#include "tests/text/helpers.h"

namespace jogak {
namespace {

// Letters as words, "<s>" and "<|end|>" special, "##" added but not special. The model knows "<s>"
// as a word of its own, as the files of some tokenizers do.
Tokenizer marked_tokenizer() {
  return Tokenizer::from_json(R"({
    "added_tokens": [{"id": 0, "content": "<s>", "special": true},
                     {"id": 1, "content": "<|end|>", "special": true},
                     {"id": 2, "content": "##", "special": false, "normalized": false},
                     {"id": 3, "content": "<|end|>\n", "special": true}],
    "model": {"type": "BPE", "vocab": {"<s>": 0, "<|end|>": 1, "##": 2, "<|end|>\n": 3, "<": 4,
      ">": 5, "|": 6, "e": 7, "n": 8, "d": 9, "s": 10, "#": 11, "a": 12, "\n": 13, "<s": 14},
      "merges": ["< s", "<s >"]}})",
                              "marked");
}

std::vector<int> ids_of(std::initializer_list<std::pair<const char*, bool>> parts) {
  MarkedText text;
  for (const auto& [bytes, user] : parts) text.append(bytes, user);
  return marked_tokenizer().encode_ids(text);
}

using Ids = std::vector<int>;

TEST(MarkedText, SpecialTokensAreTheTemplatesAlone) {
  EXPECT_EQ(ids_of({{"<s>a<|end|>", false}}), (Ids{0, 12, 1}));
  EXPECT_EQ(ids_of({{"<s>", false}, {"<|end|>", true}, {"<|end|>", false}}),
            (Ids{0, 4, 6, 7, 8, 9, 6, 5, 1}));
  EXPECT_EQ(ids_of({{"<|en", true}, {"d|>", false}}), (Ids{4, 6, 7, 8, 9, 6, 5}));
  EXPECT_EQ(ids_of({{"<|end|>", false}, {"\n", true}}), (Ids{1, 13}));  // the longer one is not
}

TEST(MarkedText, AModelDoesNotMakeThemEither) {
  EXPECT_EQ(ids_of({{"<s>", true}}), (Ids{4, 10, 5}));
  EXPECT_EQ(ids_of({{"a<s>a", true}}), (Ids{12, 4, 10, 5, 12}));
}

TEST(MarkedText, OtherTokensAreThoseOfThePlainText) {
  const Tokenizer tokenizer = marked_tokenizer();
  for (const char* text : {"a##a", "sa|en\n<", "##<s##", "", "<s<s"}) {
    EXPECT_EQ(tokenizer.encode_ids(MarkedText(text, true)), tokenizer.encode_ids(text)) << text;
    EXPECT_EQ(tokenizer.encode_ids(MarkedText(text)), tokenizer.encode_ids(text)) << text;
  }
  EXPECT_EQ(ids_of({{"#", false}, {"#", true}}), (Ids{2}));  // across the border
}

TEST(MarkedText, PartsKeepTheirMarks) {
  MarkedText text("ab");
  text.append("cd", true);
  text.append(text, 1, 3);
  EXPECT_EQ(text.view(), "abcdbc");
  EXPECT_TRUE(text.has_user(2, 4) && !text.has_user(0, 2) && !text.is_user(4) && text.is_user(5));
  EXPECT_EQ(text.part(3, 5), MarkedText("db"));
}

}  // namespace
}  // namespace jogak
