// Regular expressions; tests/goldens/tokenizers/compare_parts.py compares many more with Oniguruma.
#include "text/regex/regex.h"

#include <chrono>

#include "tests/text/helpers.h"

namespace jogak {
namespace {

std::vector<std::string> matches(const std::string& pattern, std::string_view text) {
  std::vector<std::string> out;
  text::Regex(pattern, "test").find(text, [&](Span span) {
    out.emplace_back(text.substr(span.from, span.to - span.from));
  });
  return out;
}
using Strings = std::vector<std::string>;

TEST(Regex, TheFirstWayThatMatchesIsTaken) {
  EXPECT_EQ(matches("a|ab", "ab"), Strings{"a"});
  EXPECT_EQ(matches("a*?b|a+", "aab aa"), (Strings{"aab", "aa"}));
  EXPECT_EQ(matches("(?:a{0,2}){2}", "aaaaa"), (Strings{"aaaa", "a"}));
  EXPECT_EQ(matches("a{2}?", "aaa"), (Strings{"aa", ""}));
  EXPECT_EQ(matches("a{1,2}+", "aaaaa"), Strings{"aaaaa"});
}

TEST(Regex, PossessiveAndAtomicPartsGiveNothingBack) {
  EXPECT_EQ(matches("a++a", "aaa"), Strings{});
  EXPECT_EQ(matches("a?+a", "a aa"), Strings{"aa"});
  EXPECT_EQ(matches("(?>a|ab)c", "abc ac"), Strings{"ac"});
}

TEST(Regex, LooksAroundWithoutTaking) {
  EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "a   b  "), (Strings{"  ", " ", "  "}));
  EXPECT_EQ(matches("(?<=a|bc)d", "ad bcd cd"), (Strings{"d", "d"}));
  EXPECT_EQ(matches("(?<!a)b", "ab bb"), (Strings{"b", "b"}));
  EXPECT_EQ(matches(R"(\d{1,3}(?=(?:\d{3})*\b))", "1234567"), (Strings{"1", "234", "567"}));
  EXPECT_EQ(matches(R"(a\Z)", "a\na\n"), Strings{"a"});
}

TEST(Regex, SetsHoldSets) {
  EXPECT_EQ(matches(R"( ?[^(\s|[.,])]+)", "a(b|c).,) d"), (Strings{"a", "b", "c", " d"}));
  EXPECT_EQ(matches("[a-z&&[^aeiou]]", "abcde"), (Strings{"b", "c", "d"}));
  EXPECT_EQ(matches("[^a&&b]", "ab&"), (Strings{"a", "b", "&"}));
  EXPECT_EQ(matches("[]a-]", "]a-b"), (Strings{"]", "a", "-"}));
}

TEST(Regex, CaseOptionsReachTheEndOfTheGroup) {
  EXPECT_EQ(matches("a(?i)b|c", "aB C ac aC"), (Strings{"aB", "ac", "aC"}));
  EXPECT_EQ(matches("(?i:'s|k)", "'\u017F 'S \u212A"), (Strings{"'\u017F", "'S", "\u212A"}));
}

TEST(Regex, EmptyMatchesDoNotFollowAMatch) {
  EXPECT_EQ(matches("x*", "axxb"), (Strings{"", "xx", ""}));
  EXPECT_EQ(matches("(a*)*", "aab"), (Strings{"aa", ""}));
}

TEST(RegexErrors, EachIsNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"a)", "has a ) without its ("},
      {"(a", "has a ( without its )"},
      {"*a", "repeats nothing"},
      {"[a", "has brackets that do not end"},
      {"[]", "has an empty set of brackets"},
      {"[z-a]", "has a range whose end comes before its start"},
      {R"([\d-z])", "has a range that starts with a class"},
      {R"(\p{L)", R"(has a \p{ without its })"},
      {R"(\x{110000})", "names a character that does not exist"},
      {R"(\K)", R"(has "\\K", which is not supported)"},
      {"(?P<n>a)", "has \"(?P\", which is not supported"},
      {"(?i)ss", "has (?i) letters that also stand for a single letter: not supported"},
      {"(?<=a+)b", "looks behind at something without a fixed length: not supported"},
      {"a{1001}", "repeats something more than 1000 times"},
      {"((a{1000}){1000}){1000}", "is too large"},
      {"a\\", "ends too early"}};
  for (const auto& [pattern, error] : wrong)
    EXPECT_EQ(error_of<FormatError>([&] { text::Regex(pattern, "F: byte 3"); }),
              "F: byte 3: the regular expression " + json_quote(pattern) + " " + error);
  for (const char* nest : {"(", "[", "(?:a|", "(?i)"}) {
    std::string deep;
    for (int i = 0; i < 10000; ++i) deep += nest;
    EXPECT_NE(error_of<FormatError>([&] { text::Regex(deep, "F"); }).find("is nested too deep"),
              std::string::npos);
  }
  const std::string stars = "a" + std::string(10000, '*');
  EXPECT_NE(error_of<FormatError>([&] { text::Regex(stars, "F"); }).find("is nested too deep"),
            std::string::npos);
}

// Small expressions whose reading or matching would take others forever.
TEST(Regex, SmallOnesThatAskForMuch) {
  std::string nothing = "()", choices = "a";
  for (int i = 0; i < 40; ++i) {
    nothing = "(" + nothing + "{1000})";
    choices = "(" + choices + "|b)";
  }
  EXPECT_EQ(matches(nothing + "x", "axx"), (Strings{"x", "x"}));
  EXPECT_EQ(matches("(?<=c" + choices + ")d", "cad cbd d"), (Strings{"d", "d"}));
  const std::string many(300000, 'a');
  EXPECT_EQ(error_of<FormatError>([&] { matches("(?>a*)b", many); }),
            "text: a piece of 300000 bytes takes a regular expression of the tokenizer too many "
            "steps");
  EXPECT_EQ(matches("(?>a*)b", "aab ab"), (Strings{"aab", "ab"}));
}

// Both engines, on texts that make others take quadratic or exponential time.
TEST(Regex, TimeGrowsWithTheText) {
  const std::string many(60000, 'a');
  for (const char* pattern : {"(a+)+$", "a+b", "(?:a|a)*b", "(a*)*b", "(?=a*b)a", "(?:a?){50}b",
                              R"(a{1,3}(?=(?:a{3})*\b))", "(?<=a)a*+b"}) {
    const auto start = std::chrono::steady_clock::now();
    matches(pattern, many);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 5.0) << pattern;
  }
}

}  // namespace
}  // namespace jogak
