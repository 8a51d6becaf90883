// Lengths are eighths of a capital's height: 0 the top of a capital, 8 the baseline.
#include "draw/hangul_strokes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace jogak {
namespace {

constexpr double kUnit = 1 / 8.0;
constexpr double kTop = -1.3, kBottom = 9, kLeft = 0.6, kAdvance = 10.7;

struct Box {
  double x, y, width, height;
};

struct Pen {
  std::vector<Stroke>& out;

  void line(double x0, double y0, double x1, double y1) {
    out.push_back({x0 * kUnit, (y0 - 8) * kUnit, x1 * kUnit, (y1 - 8) * kUnit});
  }
  // As round as its room allows.
  void ring(double x, double y, double across, double down) {
    constexpr int kSides = 16;
    across = std::min(across, 1.25 * down), down = std::min(down, 1.15 * across);
    const auto angle = [](int i) { return 2 * std::numbers::pi * i / kSides; };
    for (int i = 0; i < kSides; ++i)
      line(x + across * std::cos(angle(i)), y + down * std::sin(angle(i)),
           x + across * std::cos(angle(i + 1)), y + down * std::sin(angle(i + 1)));
  }
  // Two digits a point, x then y, in a box of 8 x 8; a space lifts the pen.
  void letter(std::string_view points, const Box& box) {
    const auto x = [&](size_t i) { return box.x + box.width * (points[i] - '0') / 8; };
    const auto y = [&](size_t i) { return box.y + box.height * (points[i] - '0') / 8; };
    for (size_t i = 0; i + 3 < points.size();) {
      const bool lifts = points[i + 2] == ' ';
      if (!lifts) line(x(i), y(i + 1), x(i + 2), y(i + 3));
      i += lifts ? 3 : 2;
    }
  }
};

// ㄱ to ㅎ; ㅇ and the ring of ㅎ are drawn apart.
constexpr std::string_view kLetters[] = {
    "008088",
    "000888",
    "80000888",
    "008084040888",
    "0080880800",
    "00088880 0484",
    "4008 3388",
    "",
    "0080 4008 3488",
    "3050 0282 4208 3588",
    "008088 0484",
    "80000888 0484",
    "0080 0888 2028 6068",
    "3050 0282",
};
enum { G, N, D, R, M, B, S, O, J, C, K, T, P, H };

struct Pair {
  int first, second;  // of kLetters; -1: none
};
constexpr Pair kInitials[19] = {{G, -1}, {G, G},  {N, -1}, {D, -1}, {D, D},  {R, -1}, {M, -1},
                                {B, -1}, {B, B},  {S, -1}, {S, S},  {O, -1}, {J, -1}, {J, J},
                                {C, -1}, {K, -1}, {T, -1}, {P, -1}, {H, -1}};
constexpr Pair kFinals[28] = {{-1, -1}, {G, -1}, {G, G},  {G, S},  {N, -1}, {N, J},  {N, H},
                              {D, -1},  {R, -1}, {R, G},  {R, M},  {R, B},  {R, S},  {R, T},
                              {R, P},   {R, H},  {M, -1}, {B, -1}, {B, S},  {S, -1}, {S, S},
                              {O, -1},  {J, -1}, {C, -1}, {K, -1}, {T, -1}, {P, -1}, {H, -1}};

// A vowel's upright part: one or two stems with arms between `from` and `to`; letters beside it end
// at `room`. Its lying part: a bar with ticks.
enum class Lying : unsigned char { no, bar, ticks_above, ticks_below };
struct Vowel {
  double stem, second, from, to;  // 0: none
  int arms;
  double room;
  Lying lying;
  int ticks;
};
constexpr double kWhole = 9.7;  // the room where there is no stem
constexpr Vowel kVowels[21] = {
    {7.4, 0, 7.4, 9.6, 1, 5.8, Lying::no, 0},             // ㅏ
    {6.9, 9.0, 6.9, 9.0, 1, 5.5, Lying::no, 0},           // ㅐ
    {7.4, 0, 7.4, 9.6, 2, 5.8, Lying::no, 0},             // ㅑ
    {6.9, 9.0, 6.9, 9.0, 2, 5.5, Lying::no, 0},           // ㅒ
    {8.6, 0, 6.3, 8.6, 1, 5.4, Lying::no, 0},             // ㅓ
    {7.2, 9.1, 5.6, 7.2, 1, 4.8, Lying::no, 0},           // ㅔ
    {8.6, 0, 6.3, 8.6, 2, 5.4, Lying::no, 0},             // ㅕ
    {7.2, 9.1, 5.6, 7.2, 2, 4.8, Lying::no, 0},           // ㅖ
    {0, 0, 0, 0, 0, kWhole, Lying::ticks_above, 1},       // ㅗ
    {7.7, 0, 7.7, 9.6, 1, 6.7, Lying::ticks_above, 1},    // ㅘ
    {6.9, 9.0, 6.9, 9.0, 1, 5.9, Lying::ticks_above, 1},  // ㅙ
    {8.6, 0, 0, 0, 0, 7.4, Lying::ticks_above, 1},        // ㅚ
    {0, 0, 0, 0, 0, kWhole, Lying::ticks_above, 2},       // ㅛ
    {0, 0, 0, 0, 0, kWhole, Lying::ticks_below, 1},       // ㅜ
    {8.6, 0, 5.7, 8.6, 1, 7.2, Lying::ticks_below, 1},    // ㅝ
    {7.2, 9.1, 5.0, 7.2, 1, 6.0, Lying::ticks_below, 1},  // ㅞ
    {8.6, 0, 0, 0, 0, 7.4, Lying::ticks_below, 1},        // ㅟ
    {0, 0, 0, 0, 0, kWhole, Lying::ticks_below, 2},       // ㅠ
    {0, 0, 0, 0, 0, kWhole, Lying::bar, 0},               // ㅡ
    {8.6, 0, 0, 0, 0, 7.4, Lying::bar, 0},                // ㅢ
    {8.6, 0, 0, 0, 0, 7.0, Lying::no, 0},                 // ㅣ
};

void draw_one(int which, const Box& box, Pen& pen) {
  pen.letter(kLetters[which], box);
  const double middle = box.x + box.width / 2;
  if (which == O) pen.ring(middle, box.y + box.height / 2, box.width / 2, box.height / 2);
  if (which == H) pen.ring(middle, box.y + box.height * 0.72, box.width * 0.34, box.height * 0.28);
}

void draw_pair(Pair pair, const Box& box, Pen& pen) {
  if (pair.second < 0) return draw_one(pair.first, box, pen);
  draw_one(pair.first, {box.x, box.y, box.width * 0.43, box.height}, pen);
  draw_one(pair.second, {box.x + box.width * 0.57, box.y, box.width * 0.43, box.height}, pen);
}

void draw_upright(const Vowel& vowel, double height, bool closed, Pen& pen) {
  if (vowel.stem == 0) return;
  const double end = kTop + height + (closed ? 0.5 : 0.2);
  for (const double stem : {vowel.stem, vowel.second})
    if (stem > 0) pen.line(stem, kTop, stem, end);
  // Beside ㅜ an arm stands below the bar.
  const double middle = kTop + height * (vowel.lying == Lying::ticks_below ? 0.84 : 0.5);
  const double apart = vowel.arms == 2 ? height * 0.13 : 0;
  for (int arm = 0; arm < vowel.arms; ++arm) {
    const double y = middle + apart * (2 * arm - 1);
    pen.line(vowel.from, y, vowel.to, y);
  }
}

// Returns where letters above it end.
double draw_lying(const Vowel& vowel, double height, bool closed, Pen& pen) {
  const bool below = vowel.lying == Lying::ticks_below, above = vowel.lying == Lying::ticks_above;
  const double share = below   ? (closed ? 0.64 : 0.6)
                       : above ? (closed ? 0.95 : 0.9)
                               : (closed ? 0.9 : 0.8);
  const double bar = kTop + height * share, left = kLeft - 0.5;
  pen.line(left, bar, vowel.room, bar);
  const double tip = below ? kTop + height * (closed ? 1.0 : 1.02) : bar - height * 0.24;
  const double apart = vowel.ticks == 2 ? (vowel.room - left) * 0.17 : 0;
  for (int tick = 0; tick < vowel.ticks; ++tick) {
    const double x = (left + vowel.room) / 2 + apart * (2 * tick - 1);
    pen.line(x, bar, x, tip);
  }
  return above ? tip - height * 0.1 : bar - height * (below ? 0.15 : 0.2);
}

Box room_of_initial(const Vowel& vowel, double height, bool closed, double end, bool twice) {
  if (vowel.lying == Lying::no) {
    const double from = kTop + height * (closed ? 0.04 : 0.1);
    return {kLeft, from, vowel.room - kLeft, kTop + height * (closed ? 0.98 : 0.86) - from};
  }
  const double left = kLeft - 0.5, whole = vowel.room - left;
  const double width = whole * (twice || vowel.stem > 0 ? 0.86 : 0.68);
  return {left + (whole - width) / 2, kTop + 0.2, width, end - kTop - 0.2};
}

}  // namespace

double hangul_strokes(char32_t syllable, std::vector<Stroke>& out) {
  const auto index = static_cast<int>(syllable - 0xAC00);
  const Pair first = kInitials[index / 588], last = kFinals[index % 28];
  const Vowel& vowel = kVowels[index / 28 % 21];
  const bool closed = last.first >= 0;
  const double height = (kBottom - kTop) * (closed ? 0.6 : 1);  // of first letter and vowel
  Pen pen{out};
  draw_upright(vowel, height, closed, pen);
  const double end = vowel.lying == Lying::no ? 0 : draw_lying(vowel, height, closed, pen);
  draw_pair(first, room_of_initial(vowel, height, closed, end, first.second >= 0), pen);
  if (closed) {
    const double from = kTop + (kBottom - kTop) * 0.7, left = last.second < 0 ? 1.5 : 1.2;
    draw_pair(last, {left, from, 9 - left, kBottom - from}, pen);
  }
  return kAdvance * kUnit;
}

}  // namespace jogak
