// Hangul without a font, as it stands in a picture: letters of eleven units, two points a unit.
#include "draw/hangul_strokes.h"

#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/utf8.h"
#include "draw/raster.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

constexpr int kInitials = 19, kVowels = 21;
// None, ㄱ ㄴ ㄹ ㅁ ㅂ ㅅ ㅇ and two of two letters, ㄺ and ㄶ.
constexpr std::array<int, 10> kFinals = {0, 1, 4, 8, 16, 17, 19, 21, 9, 6};

struct Parts {
  int initial, vowel, final;
  auto operator<=>(const Parts&) const = default;
  char32_t code() const {
    return static_cast<char32_t>(0xAC00 + (initial * kVowels + vowel) * 28 + final);
  }
  std::string text() const {
    std::string out;
    utf8::append(out, code());
    return out;
  }
};

// How dark each point is, 0 to 1.
std::vector<double> drawn(const std::string& text) {
  const Raster r = rasterize(text_of("<svg width=\"14\" height=\"15\"><text x=\"1\" y=\"12\" "
                                     "font-size=\"11\" fill=\"#000000\">",
                                     text, "</text></svg>"),
                             2, Letters::of_strokes);
  std::vector<double> out;
  for (size_t i = 0; i < r.pixels.size(); i += 3) out.push_back(1 - r.pixels[i] / 255.0);
  return out;
}

const std::vector<double>& known(Parts parts) {
  static std::map<Parts, std::vector<double>> all;
  const auto [found, fresh] = all.try_emplace(parts);
  if (fresh) found->second = drawn(parts.text());
  return found->second;
}

void expect_apart(Parts one, Parts other) {
  constexpr double kLeast = 4;  // points, of about 60 that a syllable has; ㄹ and ㅌ come nearest
  const auto &a = known(one), &b = known(other);
  double differ = 0;
  for (size_t i = 0; i < a.size(); ++i) differ += std::abs(a[i] - b[i]);
  EXPECT_GE(differ, kLeast) << one.text() << " " << other.text();
}

TEST(HangulStrokes, SyllablesThatDifferByALetterLookDifferent) {
  for (int initial = 0; initial < kInitials; ++initial)
    for (int vowel = 0; vowel < kVowels; ++vowel)
      for (const int last : kFinals) {
        const Parts one{initial, vowel, last};
        for (int i = initial + 1; i < kInitials; ++i) expect_apart(one, {i, vowel, last});
        for (int v = vowel + 1; v < kVowels; ++v) expect_apart(one, {initial, v, last});
        for (const int f : kFinals)
          if (f > last) expect_apart(one, {initial, vowel, f});
      }
}

// Lines along the grid have one sharp edge: most of the ink is in points that are all dark.
TEST(HangulStrokes, LinesAreSharp) {
  for (const char* text : {"므", "가", "를", "번", "력", "문", "틀", "배"}) {
    double dark = 0, all = 0;
    for (const double point : drawn(text)) all += point, dark += point > 0.99 ? point : 0;
    EXPECT_GT(dark, 0.5 * all) << text;
  }
}

TEST(HangulStrokes, StayWithinTheirAdvance) {
  for (char32_t code = 0xAC00; code <= 0xD7A3; ++code) {
    std::vector<Stroke> strokes;
    const double advance = hangul_strokes(code, strokes);
    ASSERT_FALSE(strokes.empty());
    for (const Stroke& s : strokes)
      for (const auto& [x, y] : {std::pair(s.x0, s.y0), std::pair(s.x1, s.y1)})
        ASSERT_TRUE(x >= 0 && x <= advance - 0.1 && y >= -1.25 && y <= 0.2) << int{0} + code;
  }
}

}  // namespace
}  // namespace jogak
