#include "generate/text_stream.h"

#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"
#include "tests/support/expect.h"
#include "text/train/bpe.h"

namespace jogak {
namespace {

using Pieces = std::vector<std::string>;

Pieces filtered(const Pieces& in, const Pieces& stops) {
  StopFilter filter(stops);
  Pieces out;
  for (const std::string& piece : in) out.push_back(filter.push(piece));
  out.push_back(filter.finish());
  return out;
}

TEST(StopFilter, HoldsBackWhatMayBecomeAStopString) {
  EXPECT_EQ(filtered({"ab", "c", "d", "e"}, {"cde"}), (Pieces{"ab", "", "", "", ""}));
  EXPECT_EQ(filtered({"ab", "c", "d", "x"}, {"cde"}), (Pieces{"ab", "", "", "cdx", ""}));
  EXPECT_EQ(filtered({"ab", "cd"}, {"cde"}), (Pieces{"ab", "", "cd"})) << "it never came";
  EXPECT_EQ(filtered({"aab"}, {"aab"}), (Pieces{"", ""}));
  EXPECT_EQ(filtered({"aa", "ab"}, {"aab"}), (Pieces{"", "a", ""})) << "a later start";
  EXPECT_EQ(filtered({"x\ny", "z"}, {"\n"}), (Pieces{"x", "", ""}));
}

TEST(StopFilter, TheFirstStopStringEndsTheText) {
  EXPECT_EQ(filtered({"one two three"}, {"three", "two"}), (Pieces{"one ", ""}));
  EXPECT_EQ(filtered({"xabc"}, {"b", "abcd"}), (Pieces{"xa", ""}));
}

// Whatever the cuts, the text is what stands before the first stop string.
TEST(StopFilter, DoesNotDependOnHowTextIsCut) {
  Rng rng(3);
  const Pieces stops = {"aba", "bb", "가나"};
  const Pieces letters = {"a", "b", "c", "가", "나"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += letters[rng.below(5)];
    size_t end = text.size();
    for (const std::string& stop : stops) end = std::min(end, text.find(stop));
    StopFilter filter(stops);
    std::string shown;
    for (size_t at = 0; at < text.size();) {
      size_t next = std::min(text.size(), at + 1 + rng.below(5));
      while (next < text.size() && (text[next] & 0xC0) == 0x80) ++next;
      shown += filter.push(text.substr(at, next - at));
      ASSERT_EQ(shown, text.substr(0, shown.size()));
      ASSERT_LE(shown.size(), end) << text;
      at = next;
    }
    EXPECT_EQ(filter.stopped(), end < text.size()) << text;
    EXPECT_EQ(shown + filter.finish(), text.substr(0, end));
  }
}

TEST(StopFilterErrors, SaysWhatIsWrong) {
  expect_error<UsageError>(
      [] {
        StopFilter({"a", ""});
      },
      "stop: found an empty string, wanted some text");
  expect_error<UsageError>([] { StopFilter(Pieces(65, "a")); },
                           "stop: found 65 strings, wanted at most 64");
  expect_error<UsageError>([] { StopFilter({std::string(4097, 'a')}); },
                           "stop: found 4097 bytes, wanted at most 4096");
  error_of<UsageError>([] { StopFilter({"\xff"}); });
}

Tokenizer bytes_only() { return train_bpe({}, {.vocab_size = 256}); }

Pieces streamed(const std::string& prompt, const std::string& text, const Pieces& stops = {}) {
  const Tokenizer tokenizer = bytes_only();
  TextStream stream(tokenizer, tokenizer.encode_ids(prompt), stops);
  Pieces out;
  for (const int id : tokenizer.encode_ids(text)) {
    const std::string piece = stream.push(id);
    EXPECT_EQ(utf8::first_invalid(piece), std::string::npos);
    if (!piece.empty()) out.push_back(piece);
  }
  const std::string rest = stream.finish();
  if (!rest.empty()) out.push_back(rest);
  return out;
}

TEST(TextStream, ShowsWholeCharactersOfTheNewTextAlone) {
  EXPECT_EQ(streamed("날짜: ", "한글 a"), (Pieces{"한", "글", " ", "a"}));
  EXPECT_EQ(streamed("p", "한글, 끝. 더", {"끝"}), (Pieces{"한", "글", ",", " "}));
}

TEST(TextStream, APromptThatEndsInJamoIsNotRepeated) {
  // Prompt: the first letter of a syllable in conjoining jamo; the text finishes the syllable.
  EXPECT_EQ(streamed("\u1112", "\u1161\u11AB!"), (Pieces{"\u1161\u11AB!"}));
  EXPECT_EQ(streamed("\u1112", "x"), (Pieces{"x"}));
  EXPECT_EQ(streamed("🙂", "x🙂"), (Pieces{"x", "🙂"}));
}

}  // namespace
}  // namespace jogak
