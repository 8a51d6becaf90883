#include "base/lowercase.h"

#include "base/utf8.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Lowercase, LettersOfEveryScript) {
  EXPECT_EQ(lowercase(""), "");
  EXPECT_EQ(lowercase("Hello, WORLD 42!"), "hello, world 42!");
  EXPECT_EQ(lowercase("ÄÖÜ ẞ ÇŁŻ"), "äöü ß çłż");
  EXPECT_EQ(lowercase("ПРИВЕТ ԱԲԳ"), "привет աբգ");
  EXPECT_EQ(lowercase("한국어 日本 ＡＢＣ 😀"), "한국어 日本 ａｂｃ 😀");
  EXPECT_EQ(lowercase("ǅ Ǆ Ⅷ Ⓐ 𝐀 𐐀"), "ǆ ǆ ⅷ ⓐ 𝐀 𐐨");
  EXPECT_EQ(lowercase("İI"), "i̇i");
}

TEST(Lowercase, SigmaAtTheEndOfAWord) {
  EXPECT_EQ(lowercase("ΟΔΟΣ ΣΟΦΟΣ"), "οδος σοφος");
  EXPECT_EQ(lowercase("Σ"), "σ");
  EXPECT_EQ(lowercase("ΑΣ."), "ας.");
  EXPECT_EQ(lowercase("Α'Σ Β"), "α'ς β");
  EXPECT_EQ(lowercase("ΑΣ'Β"), "ασ'β");
  EXPECT_EQ(lowercase("ΑΣ́"), "ας́");
  EXPECT_EQ(lowercase("ΑΣ\u200bΒ ΑΣ\u200b"), "ασ\u200bβ ας\u200b");
  EXPECT_EQ(lowercase("𝒜Σ ªΣ ﬁΣ 한Σ 1Σ"), "𝒜ς ªς ﬁς 한σ 1σ");
}

TEST(Lowercase, BrokenBytesStay) {
  EXPECT_EQ(lowercase("A\xFF"
                      "B\xE3\x83"),
            "a\xFF"
            "b\xE3\x83");
  EXPECT_EQ(lowercase("\xBF\xCE\xA3"), "\xBF\xCF\x83");
}

// Lowering what was lowered changes nothing, and the number of letters that change is the
// character database's.
TEST(Lowercase, AllOfUnicode) {
  int changed = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    utf8::append(text, code);
    const std::string small = lowercase(text);
    changed += small != text;
    ASSERT_EQ(lowercase(small), small) << std::hex << static_cast<uint32_t>(code);
  }
  EXPECT_EQ(changed, 1433);
}

}  // namespace
}  // namespace jogak
