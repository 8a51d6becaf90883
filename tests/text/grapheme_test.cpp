// Clusters as PyPI tokenizers' Precompiled shows them; make_grapheme_tables.py asks it about all.
#include "text/unicode/grapheme.h"

#include "tests/text/helpers.h"
#include "text/stages/charsmap.h"

namespace jogak::text {
namespace {

TEST(Grapheme, WhatStaysTogether) {
  for (const std::string whole :
       {"a", "a\u0301\u0301\u0301\u0301", "\r\n", "\u1100\u1161\u11A8", "\u1100\u1161\u0301",
        "\uAC00\u11A8\u0301", "\uAC01\u11A8", "\u1100\u1100\uAC00", "\U0001F1F0\U0001F1F7",
        "\U0001F469\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466", "\U0001F44D\U0001F3FD",
        "\u0915\u094D\u0958\u0301", "\u0915\u094D\u200D\u0915", "\u0600\u0600a",
        "\U0001F469\u0301\u0301\u200D\u2122"}) {
    EXPECT_EQ(cluster_size(whole), whole.size()) << json_quote(whole);
    EXPECT_EQ(cluster_size(whole + "x"), whole.size()) << json_quote(whole);
  }
  EXPECT_EQ(cluster_size(""), 0u);
}

TEST(Grapheme, WhatDoesNot) {
  const std::pair<const char*, const char*> pairs[] = {{"a", "b"},
                                                       {"\n", "\u0301"},
                                                       {"\r\n", "\u0301"},
                                                       {"\u1161", "\u1100"},
                                                       {"\u11A8", "\u1161"},
                                                       {"\uAC01", "\u1161"},
                                                       {"\uAC00", "\uAC00"},
                                                       {"\u0915", "\u0915"},
                                                       {"\u0915\u093E\u094D", "\u0958"},
                                                       {"\U0001F1F0\U0001F1F7", "\U0001F1F0"},
                                                       {"\U0001F1F0\u0301", "\U0001F1F7"},
                                                       {"a\u200D", "\u2122"},
                                                       {"\U0001F469", "\U0001F469"}};
  for (const auto& [first, second] : pairs)
    EXPECT_EQ(cluster_size(std::string(first) + second), std::string_view(first).size())
        << json_quote(first) << " " << json_quote(second);
}

// A rule is for a whole cluster below six bytes; in a longer one for the character alone.
TEST(Grapheme, LongClustersAreReplacedCharacterByCharacter) {
  const Json file = read_json_file(golden("charsmap_cases.json"));
  const Charsmap map = Charsmap::from_base64(file.find("charsmap")->text(), "golden");
  const std::pair<const char*, const char*> cases[] = {
      {"\u2122\u0301", "TM"},
      {"\U0001F469\u200D\u2122\u0301", "\U0001F469\u200DTM\u0301"},
      {"a\u0301\u0301\u0301\u200D\u2122\u0301", "a\u0301\u0301\u0301\u200DTM"},
      {"\U0001F469\u0301\u0301\u0301\u200D\u2122\u0301",
       "\U0001F469\u0301\u0301\u0301\u200DTM\u0301"}};
  for (const auto& [text, wanted] : cases)
    EXPECT_EQ(map.apply(AlignedText(text, {0, std::string_view(text).size()})).text(), wanted);
}

TEST(Grapheme, WhatCouldGoOnIsHeld) {
  const std::pair<const char*, size_t> cases[] = {{"", 0},
                                                  {"abc", 3},
                                                  {"가", 3},
                                                  {"가\u1100", 3},
                                                  {"\u1100\u1161", 0},
                                                  {"x\U0001F642", 1},
                                                  {"\U0001F642 ", 5},
                                                  {"e\u0301", 3},
                                                  {"\U0001F1F0", 0},
                                                  {"\U0001F1F0\U0001F1F7", 8},
                                                  {"\U0001F642\U0001F469\u200D", 4}};
  for (const auto& [text, whole] : cases) EXPECT_EQ(whole_characters(text), whole) << text;
  std::string endless = "\U0001F642";
  for (int i = 0; i < 100; ++i) endless += "\u0301";
  EXPECT_EQ(whole_characters(endless), endless.size());
}

}  // namespace
}  // namespace jogak::text
