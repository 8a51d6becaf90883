#include "base/utf8.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(Utf8, EveryCodePointGoesRound) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    utf8::append(text, code);
    const size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    ASSERT_EQ(text.size(), size) << std::hex << static_cast<uint32_t>(code);
    const utf8::Decoded back = utf8::decode(text, 0);
    ASSERT_EQ(back.code, code);
    ASSERT_EQ(back.size, static_cast<int>(size));
    ASSERT_EQ(utf8::first_invalid(text), kNone);
  }
}

TEST(Utf8, WhatIsNoCodePointIsWrittenAsReplacement) {
  for (const char32_t code : {0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
    std::string text;
    utf8::append(text, code);
    EXPECT_EQ(text, "\uFFFD");
  }
}

// All sequences of up to three bytes, and four with the last two from a few interesting ones, are
// valid exactly when they are what append() writes for the code point they spell.
bool valid_by_definition(std::string_view bytes) {
  if (bytes.empty()) return true;
  const auto b = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const size_t size = b(0) < 0x80 ? 1 : b(0) >= 0xF0 ? 4 : b(0) >= 0xE0 ? 3 : b(0) >= 0xC0 ? 2 : 0;
  if (size == 0 || b(0) >= 0xF8 || bytes.size() < size) return false;
  char32_t code = size == 1 ? b(0) : b(0) & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((b(i) & 0xC0) != 0x80) return false;
    code = (code << 6) | (b(i) & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool in_range =
      code >= kLeast[size] && code < 0x110000 && (code < 0xD800 || code >= 0xE000);
  return in_range && valid_by_definition(bytes.substr(size));
}

TEST(Utf8, OverlongSurrogatesAndStrayBytesAreInvalid) {
  std::string bytes(3, '\0');
  for (int a = 0x70; a < 256; ++a)
    for (int b = 0; b < 256; ++b)
      for (const int c : {0x00, 0x41, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xFF}) {
        bytes = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        for (size_t size = 1; size <= 3; ++size) {
          const std::string_view part = std::string_view(bytes).substr(0, size);
          ASSERT_EQ(utf8::first_invalid(part) == kNone, valid_by_definition(part))
              << a << " " << b << " " << c;
        }
        for (const int d : {0x41, 0x80, 0xBF, 0xC2}) {
          const std::string four = bytes + static_cast<char>(d);
          ASSERT_EQ(utf8::first_invalid(four) == kNone, valid_by_definition(four));
        }
      }
}

TEST(Utf8, FirstInvalidIsTheByteWhereItBegins) {
  EXPECT_EQ(utf8::first_invalid("한국어"), kNone);
  EXPECT_EQ(utf8::first_invalid("a한\xFF"), 4u);
  EXPECT_EQ(utf8::first_invalid("a\xE2\x82"), 1u);
  EXPECT_EQ(utf8::first_invalid("ab\x80"), 2u);
  EXPECT_EQ(utf8::decode("abc", 3).size, 0);
  EXPECT_EQ(utf8::decode("", 0).size, 0);
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(utf8::count(""), 0u);
  EXPECT_EQ(utf8::count("aé한😀"), 4u);
}

TEST(Utf8, WholePrefixAtEveryCut) {
  const std::string text = "한a국é어 👩‍👩‍👧 끝";
  size_t whole = 0;  // the last boundary at or before the cut
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const bool boundary = cut == text.size() || (text[cut] & 0xC0) != 0x80;
    if (boundary) whole = cut;
    EXPECT_EQ(utf8::whole_prefix(std::string_view(text).substr(0, cut)), whole) << cut;
  }
}

TEST(Utf8, WholePrefixHidesOnlyWhatMayBecomeACharacter) {
  EXPECT_EQ(utf8::whole_prefix("a\xFF"), 2u);          // can never become one
  EXPECT_EQ(utf8::whole_prefix("a\x80\x80\x80"), 4u);  // continuations of nothing
  EXPECT_EQ(utf8::whole_prefix("a\xE0\x80"), 3u);      // overlong
  EXPECT_EQ(utf8::whole_prefix("a\xED\xA0"), 3u);      // surrogate
  EXPECT_EQ(utf8::whole_prefix("a\xF0\x9F\x98"), 1u);
  EXPECT_EQ(utf8::whole_prefix("a\xF4\x90"), 3u);  // above U+10FFFF
}

TEST(Utf8, LossyReplacesEachMaximalPart) {
  EXPECT_EQ(utf8::lossy("ok 한 😀"), "ok 한 😀");
  EXPECT_EQ(utf8::lossy("a\x80z"), "a\uFFFDz");
  EXPECT_EQ(utf8::lossy("\xF0\x9F\x98z"), "\uFFFDz");            // one for a cut character
  EXPECT_EQ(utf8::lossy("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // three for a surrogate
  EXPECT_EQ(utf8::lossy("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(utf8::lossy("\xE2\x82"), "\uFFFD");
  // The example of the Unicode standard, table 3-8.
  EXPECT_EQ(utf8::lossy("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
}

}  // namespace
}  // namespace jogak
