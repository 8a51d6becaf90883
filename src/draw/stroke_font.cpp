// Coordinates are two characters a point, x then y, on a grid: 0 the top of a capital, 8 the
// baseline, a and b below it. A space lifts the pen.
#include "draw/stroke_font.h"

#include <algorithm>
#include <span>

#include "base/utf8.h"
#include "draw/hangul_strokes.h"

namespace jogak {
namespace {

constexpr double kUnit = 1 / 8.0;  // of the letter height

struct Glyph {
  char32_t code;
  std::string_view strokes;
};

constexpr std::string_view kAscii[95] = {
    "",
    "0005 0808",
    "0002 2022",
    "1018 3038 0343 0646",
    "413010010314344547381807 2028",
    "4008 0101 4747",
    "4813112031320607182845",
    "0002",
    "201103061829",
    "001123261809",
    "2125 0244 4204",
    "0545 2327",
    "1709",
    "0535",
    "0808",
    "4009",
    "103041473818070110",
    "022028 0848",
    "01103041430848",
    "01103041433414 344547381807",
    "38300646",
    "400003334447381807",
    "413010010718384745341405",
    "004018",
    "103041433414030110 1405071838474534",
    "433414030110304147381807",
    "0404 0808",
    "1414 1709",
    "420548",
    "0444 0646",
    "024508",
    "01103041432426 2828",
    "52401001071848 33242536454333 43455652",
    "082048 1535",
    "00083847453404 0030414334",
    "4130100107183847",
    "00082846422000",
    "40000848 0434",
    "400008 0434",
    "41301001071838474424",
    "0008 4048 0444",
    "0008",
    "3037281807",
    "0008 4005 1448",
    "000848",
    "0800356068",
    "08004840",
    "104051574818070110",
    "08003041433404",
    "104051574818070110 3658",
    "08003041433404 2448",
    "413010010314344547381807",
    "0040 2028",
    "000718384740",
    "002840",
    "0018325860",
    "0048 4008",
    "002440 2428",
    "00400848",
    "20000929",
    "0049",
    "00202909",
    "022042",
    "0949",
    "0012",
    "0413334448 45150607183847",
    "0008 0413334447381807",
    "4433130407183847",
    "4048 4433130407183847",
    "05454433130407183847",
    "30201118 0333",
    "434a3b1b0a 4433130407183847",
    "0008 0413334448",
    "0308 0101",
    "131a0b 1111",
    "0008 3306 1538",
    "0008",
    "0308 0413233438 3443536468",
    "0308 0413334448",
    "133344473818070413",
    "030b 0413334447381807",
    "434b 4433130407183847",
    "0308 041333",
    "44331304153647381807",
    "11172838 0333",
    "0307183847 4348",
    "032843",
    "0318345863",
    "0348 4308",
    "0328 431b0b",
    "03430848",
    "30212314252839",
    "000b",
    "00111314051809",
    "05143544",
};

constexpr Glyph kMore[] = {
    {U'␣', "07094947"},
    {U'▁', "07094947"},
    {U'⏎', "404505 230527"},
    {U'⇥', "0545 234527 6367"},
    {U'…', "0808 2828 4848"},
    {U'·', "0505"},
    {U'×', "0448 4408"},
    {U'→', "0565 436547"},
    {U'←', "0565 230527"},
    {U'↓', "2129 072947"},
    {U'↑', "2129 032143"},
    {U'−', "0545"},
    {U'–', "0545"},
    {U'—', "0565"},
    {U'°', "1021120110"},
    {U'Σ', "4000240848"},
    {U'√', "0515284060"},
    {U'∅', "133344473818070413 4208"},
    {U'“', "0002 2022"},
    {U'”', "0002 2022"},
    {U'‘', "0002"},
    {U'’', "0002"},
    {U'„', "0709 2729"},
    {U'±', "0545 2327 0848"},
    {U'²', "001021031323"},
    {U'ß', "0801103041334445473828"},
    {U'Ø', "104051574818070110 5008"},
    {U'ø', "133344473818070413 4308"},
    {U'æ', "0413233448 35150607182837 3545534333"},
    {U'θ', "103041473818070110 0444"},
    {U'π', "0343 1318 3338"},
    {U'σ', "531304071838474433"},
};

// Marks over a letter: x and y as above, for small letters; capitals carry them higher.
constexpr Glyph kMarks[] = {
    {U'"', "1111 3131"},  {U'\'', "1231"}, {U'`', "1132"},   {U'^', "122132"}, {U'~', "02112231"},
    {U'o', "2031221120"}, {U'.', "2121"},  {U'v', "112231"}, {U'-', "1131"},   {U',', "29282a1b"},
};

struct Marked {
  char32_t code;
  char letter, mark;
};
constexpr Marked kMarked[] = {
    {U'ä', 'a', '"'},  {U'ö', 'o', '"'},  {U'ü', 'u', '"'},  {U'ë', 'e', '"'},  {U'ï', 'i', '"'},
    {U'Ä', 'A', '"'},  {U'Ö', 'O', '"'},  {U'Ü', 'U', '"'},  {U'á', 'a', '\''}, {U'é', 'e', '\''},
    {U'í', 'i', '\''}, {U'ó', 'o', '\''}, {U'ú', 'u', '\''}, {U'É', 'E', '\''}, {U'à', 'a', '`'},
    {U'è', 'e', '`'},  {U'ì', 'i', '`'},  {U'ò', 'o', '`'},  {U'ù', 'u', '`'},  {U'â', 'a', '^'},
    {U'ê', 'e', '^'},  {U'î', 'i', '^'},  {U'ô', 'o', '^'},  {U'û', 'u', '^'},  {U'ñ', 'n', '~'},
    {U'ã', 'a', '~'},  {U'õ', 'o', '~'},  {U'å', 'a', 'o'},  {U'Å', 'A', 'o'},  {U'ç', 'c', ','},
    {U'Ç', 'C', ','},  {U'Ġ', 'G', '.'},  {U'Ċ', 'C', '.'},  {U'č', 'c', 'v'},  {U'š', 's', 'v'},
    {U'ž', 'z', 'v'},  {U'ý', 'y', '\''},
};

struct Box {
  double x, y, width, height;  // in grid units of kAscii
};

int digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

void draw(std::string_view strokes, const Box& box, std::vector<Stroke>& out) {
  bool down = false;
  double x0 = 0, y0 = 0;
  for (size_t i = 0; i + 1 < strokes.size();) {
    if (strokes[i] == ' ') {
      down = false;
      ++i;
      continue;
    }
    const double x = (box.x + box.width * digit(strokes[i]) / 8) * kUnit;
    const double y = (box.y + box.height * digit(strokes[i + 1]) / 8 - 8) * kUnit;
    if (down) out.push_back({x0, y0, x, y});
    down = true, x0 = x, y0 = y;
    i += 2;
  }
}

constexpr Box kLatin{0, 0, 8, 8};

std::string_view strokes_of(char32_t code) {
  if (code >= 0x20 && code < 0x7F) return kAscii[code - 0x20];
  for (const Glyph& glyph : kMore)
    if (glyph.code == code) return glyph.strokes;
  return {};
}

double advance_of(std::span<const Stroke> strokes) {
  double right = 0;
  for (const Stroke& s : strokes) right = std::max({right, s.x0, s.x1});
  return right / kUnit + 2;
}

double glyph(char32_t code, std::vector<Stroke>& out) {
  if (code >= 0xAC00 && code <= 0xD7A3) return hangul_strokes(code, out) / kUnit;
  if (code == ' ') return 3.5;
  for (const Marked& marked : kMarked)
    if (marked.code == code) {
      draw(strokes_of(static_cast<char32_t>(marked.letter)), kLatin, out);
      const double width = advance_of(out);
      const bool high = marked.letter < 'a' && marked.mark != ',';
      for (const Glyph& mark : kMarks)
        if (mark.code == static_cast<char32_t>(marked.mark))
          draw(mark.strokes, {0, high ? -2.8 : 0.0, 8, 8}, out);
      return width;
    }
  const std::string_view strokes = strokes_of(code);
  draw(strokes.empty() ? "1030381810" : strokes, kLatin, out);
  return advance_of(out);
}

}  // namespace

StrokedText stroked(std::string_view text) {
  StrokedText out;
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    std::vector<Stroke> strokes;
    const double advance = glyph(next.code, strokes) * kUnit;
    for (Stroke& s : strokes) s.x0 += out.width, s.x1 += out.width;
    out.glyphs.push_back(std::move(strokes));
    out.width += advance;
    at += static_cast<size_t>(std::max(next.size, 1));
  }
  return out;
}

}  // namespace jogak
