// Equality with PyPI tokenizers' Precompiled; the golden is written by make_spm.py.
#include "text/stages/charsmap.h"

#include "base/utf8.h"
#include "tests/text/helpers.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

const Json& golden_file() {
  static const Json file = read_json_file(golden("charsmap_cases.json"));
  return file;
}

std::string base64() { return golden_file().find("charsmap")->text(); }

// Where each character of the text comes from, in characters of the original.
Json offsets_of(const AlignedText& text) {
  Json out = Json::array();
  const std::string_view all = text.text(), original = text.original();
  for (size_t at = 0; at < all.size();) {
    const size_t end = at + code_at(all.data() + at).size;
    const Span origin = text.origin(at, end);
    out.push(Json::array({Json(utf8::count(original.substr(0, origin.from))),
                          Json(utf8::count(original.substr(0, origin.to)))}));
    at = end;
  }
  return out;
}

TEST(Charsmap, TextsAndOffsetsAsTheReference) {
  const Charsmap map = Charsmap::from_base64(base64(), "golden");
  EXPECT_EQ(map.to_base64(), base64());
  size_t count = 0;
  for (const Json& one : golden_file().find("cases")->items()) {
    const std::string& text = one.find("text")->text();
    const AlignedText got = map.apply(AlignedText(text, {0, text.size()}));
    EXPECT_EQ(got.text(), one.find("normalized")->text()) << json_quote(text);
    EXPECT_EQ(offsets_of(got), *one.find("offsets")) << json_quote(text);
    ++count;
  }
  EXPECT_GE(count, 400u);
}

TEST(Charsmap, LongestAndShortestRule) {
  const Charsmap map = Charsmap::from_base64(base64(), "golden");
  EXPECT_EQ(map.longest("\u304b\u3099x").text, "\u304c");
  EXPECT_EQ(map.longest("\u304b\u3099x").size, 6u);
  EXPECT_EQ(map.longest("\u304bx").size, 0u);
  EXPECT_EQ(map.longest("").size, 0u);
  EXPECT_EQ(map.longest("\u2026!").text, "...");
  EXPECT_EQ(map.shortest("\u2026!").size, 3u);
  EXPECT_EQ(map.longest(std::string_view("\0a", 2)).size, 0u);
}

TEST(Charsmap, EachErrorSaysWhatIsWrong) {
  const auto error = [](const std::string& blob) {
    return error_of<FormatError>([&] { Charsmap::read(blob, "f: byte 9: precompiled_charsmap"); });
  };
  const std::string at = "f: byte 9: precompiled_charsmap: ";
  const auto table = [](std::vector<std::pair<size_t, uint32_t>> units, std::string texts) {
    std::string blob(4 + 2048, '\0');
    const auto put = [&](size_t byte, uint32_t value) {
      for (size_t i = 0; i < 4; ++i) blob[byte + i] = static_cast<char>(value >> 8 * i & 0xFF);
    };
    put(0, 2048);
    for (const auto& [unit, bits] : units) put(4 + 4 * unit, bits);
    return blob + texts;
  };
  const std::string end(1, '\0');
  EXPECT_EQ(error("abc"), at + "found 3 bytes, wanted a size and a table");
  EXPECT_EQ(error(std::string("\xFF\xFF\xFF\x7F", 4) + end),
            at + "found a table of 2147483647 bytes, wanted less than the 1 that are there");
  EXPECT_EQ(error(std::string("\x04\0\0\0", 4) + std::string(9, '\0')),
            at + "found a table of 4 bytes, wanted a multiple of 1024");
  EXPECT_EQ(error(table({}, "x")), at + "the last replacement has no end, wanted a zero byte");
  EXPECT_EQ(error(table({}, "\x80" + end)),
            at + "replacement byte 0: found bytes that are not UTF-8, wanted UTF-8 text");
  EXPECT_EQ(error(table({{0, 512 << 10}}, end)),
            at + "unit 0: leads to unit 767, wanted less than 512");
  EXPECT_EQ(error(table({{0, 0xFFFFFFFF}}, end)).substr(0, at.size() + 21),
            at + "unit 0: leads to unit");
  // 'a' leads to unit 256 ^ 'a', whose children are its own siblings.
  const uint32_t a = 256 ^ 'a';
  EXPECT_EQ(error(table({{0, 256 << 10}, {a, uint32_t{'a'} << 10 | 'a'}}, end)),
            at + "unit 353: the table goes in a circle, wanted a tree");
  const uint32_t leaf = (a << 10) | 1 << 8 | 'a';  // base 0
  EXPECT_EQ(error(table({{0, 256 << 10}, {a, leaf}}, end)),
            at + "unit 0: a replacement at byte 262144, wanted less than 1");
  EXPECT_EQ(error_of<FormatError>([&] { Charsmap::from_base64("AAA", "f"); }),
            "f: found base64 of 3 characters, wanted a multiple of 4");
  EXPECT_EQ(error_of<FormatError>([&] { Charsmap::from_base64("A-AA", "f"); }),
            "f: character 1: found one that is not base64, wanted A-Z, a-z, 0-9, + or /");
}

}  // namespace
}  // namespace jogak::text
