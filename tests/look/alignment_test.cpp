#include "look/alignment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/error.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Strings = std::vector<std::string>;

// Each target token looks at the source token of the same place, and a little at all.
Alignment diagonal(Strings source, Strings target) {
  Alignment out{std::move(source), std::move(target), {}};
  const auto rows = static_cast<int64_t>(out.target.size());
  const auto columns = static_cast<int64_t>(out.source.size());
  out.weights = Matrix(rows, columns, 0.16 / static_cast<double>(columns));
  for (int64_t i = 0; i < rows; ++i) out.weights.at(i, i % columns) += 0.84;
  return out;
}

Strings lines_of(const std::string& text) {
  std::istringstream in(text);
  Strings out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t out = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++out;
  return out;
}

const Alignment kDate = diagonal({"2", "0", "3", "1", "년", " ", "5", "월"}, {"2", "0", "5", "-"});

TEST(VisibleToken, NothingIsInvisible) {
  EXPECT_EQ(visible_token("word"), "word");
  EXPECT_EQ(visible_token(" a b"), "␣a␣b");
  EXPECT_EQ(visible_token("▁단어"), "␣단어");
  EXPECT_EQ(visible_token("\n\t"), "⏎⇥");
  EXPECT_EQ(visible_token("\u3000\u00a0"), "␣␣");
  EXPECT_EQ(visible_token(""), "∅");
  EXPECT_EQ(visible_token("\u0301"), "◌\u0301");
  EXPECT_EQ(visible_token("\x1b[31m\x07"), "·[31m·");  // a token cannot colour the terminal
  EXPECT_EQ(visible_token("\u202E"), "·");             // nor turn its direction
  EXPECT_EQ(visible_token("\xFF"), "\uFFFD");
}

TEST(AlignmentText, SourceAcrossTargetDownAndTheSumOfEachRow) {
  EXPECT_EQ(alignment_text(kDate, false, 80),
            "Where each target token looked (source: key →, token being written: query ↓)\n"
            "  2 0 3 1 년␣ 5 월    Σ\n"
            "2 ██               1.00\n"
            "0   ██             1.00\n"
            "5     ██           1.00\n"
            "-       ██         1.00\n"
            "     0  ░░ 0.23  ▒▒ 0.45  ▓▓ 0.68  ██ 0.90\n");
  EXPECT_NE(alignment_text(kDate, false, 30).find("     0  ▒▒ 0.45  ██ 0.90\n"), std::string::npos);
  const std::string korean = alignment_text(kDate, false, 80, Lang::ko);
  EXPECT_NE(korean.find("(원문: 키 →"), std::string::npos);
}

TEST(AlignmentText, ColourIsBackgroundOnly) {
  const std::string text = alignment_text(kDate, true, 80);
  EXPECT_EQ(count_of(text, "\x1b[48;2;"), 4 * 8 + 5u);  // cells and scale
  EXPECT_EQ(count_of(text, "\x1b[0m"), 4 * 8 + 5 + 1u);
  EXPECT_EQ(text.find("█"), std::string::npos);
  const std::string plain = alignment_text(kDate, false, 80);
  const Strings coloured = lines_of(text), shades = lines_of(plain);
  ASSERT_EQ(coloured.size(), shades.size());
  for (size_t i = 0; i < shades.size(); ++i)
    EXPECT_EQ(display_width(coloured[i]), display_width(shades[i])) << i;
}

TEST(AlignmentText, RowsAreAsWideAsTheirHeaderWhateverTheTokens) {
  const Alignment words = diagonal({"나는", "학교에", "go", "▁to", "é", "😀", "e\u0301"},
                                   {"I", "가나다라", "school", " ", "</s>"});
  for (const int columns : {30, 33, 60, 80, 200}) {
    const Strings lines = lines_of(alignment_text(words, false, columns));
    for (size_t i = 1; i < lines.size(); ++i)
      EXPECT_LE(display_width(lines[i]), static_cast<size_t>(columns)) << lines[i];
    size_t sums = 0;
    for (const std::string& line : lines) sums += line.ends_with(" 1.00");
    EXPECT_EQ(sums, 5u) << columns;  // once a row, however many parts the table has
  }
  const Strings wide = lines_of(alignment_text(words, false, 200));
  ASSERT_EQ(wide.size(), 8u);
  for (size_t i = 1; i < 7; ++i) EXPECT_EQ(display_width(wide[i]), display_width(wide[1])) << i;
}

TEST(AlignmentText, LongTokensStandUprightAndManyGoOnBelow) {
  const Alignment upright = diagonal({"incredible", "한국어", "ab"}, {"x"});
  const Strings lines = lines_of(alignment_text(upright, false, 16));
  ASSERT_EQ(lines.size(), 1u + 10 + 1 + 1);
  EXPECT_EQ(lines[1], "  i     ");
  EXPECT_EQ(lines[8], "  b 한  ");
  EXPECT_EQ(lines[9], "  l 국a ");
  EXPECT_EQ(lines[10], "  e 어b     Σ");
  Strings source(30, "a");
  const std::string text = alignment_text(diagonal(source, {"x", "y"}), false, 40);
  EXPECT_EQ(count_of(text, "Σ"), 1u);
  EXPECT_EQ(count_of(text, "\n\n"), 1u);
  EXPECT_EQ(count_of(text, "\nx "), 2u);
  const std::string longest(60, 'w');
  EXPECT_NE(alignment_text(diagonal({longest}, {longest}), false, 30).find("⋮"), std::string::npos);
}

TEST(AlignmentText, TheScaleReachesTheLargestWeight) {
  Alignment flat{{"a", "b"}, {"x"}, Matrix{{0.12, 0.13}}};
  EXPECT_NE(alignment_text(flat, false, 80).find("██ 0.20"), std::string::npos);
  flat.weights = Matrix{{0, 0}};
  EXPECT_NE(alignment_text(flat, false, 80).find("██ 0.10"), std::string::npos);
  flat.weights = Matrix{{0, 1}};
  EXPECT_NE(alignment_text(flat, false, 80).find("██ 1\n"), std::string::npos);
}

TEST(AlignmentSvg, ShowsEveryCellLabelAndSum) {
  const std::string svg = alignment_svg(kDate);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count_of(svg, "<rect "), 1 + 4 * 8 + 24u);  // page, cells, scale
  EXPECT_EQ(count_of(svg, ">1.00</text>"), 4u);         // the sums
  EXPECT_EQ(count_of(svg, ">0.86</text>"), 4u);         // weights worth reading
  for (const char* label :
       {">년</text>", ">월</text>", ">␣</text>", ">Σ</text>", ">weight</text>",
        ">source: key →</text>", "<title>Where each target token looked</title>"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
  EXPECT_NE(svg.find("5 ← 3 (0.86); - ← 1 (0.86)</desc>"), std::string::npos);
  EXPECT_NE(alignment_svg(kDate, Lang::ko).find(">원문: 키 →</text>"), std::string::npos);
  EXPECT_EQ(utf8::first_invalid(svg), std::string::npos);
}

TEST(AlignmentSvg, TokensAreEscaped) {
  const std::string svg =
      alignment_svg(diagonal({"<script>", "a&b", "\"q\"", "\x01\xFF"}, {"</svg>", "]]>"}));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(count_of(svg, "</svg>"), 1u);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("a&amp;b"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;/svg&gt;</text>"), std::string::npos);
}

TEST(AlignmentSvg, LongTokensAreTurnedAndCut) {
  const std::string rotated = alignment_svg(diagonal({"translation", "b"}, {"x"}));
  EXPECT_EQ(count_of(rotated, "rotate(-90"), 1 + 1u);  // the long token and an axis
  EXPECT_EQ(count_of(alignment_svg(kDate), "rotate(-90"), 1u);
  const std::string cut = alignment_svg(diagonal({std::string(90, 'w')}, {"x"}));
  EXPECT_NE(cut.find(">" + std::string(23, 'w') + "…</text>"), std::string::npos);
}

TEST(AlignmentJson, RowsOfNumbers) {
  const Alignment a{{"a", " "}, {"x\xFF"}, Matrix{{0.25, 0.75}}};
  EXPECT_EQ(alignment_json(a).dump(),
            "{\"source\":[\"a\",\" \"],\"target\":[\"x\uFFFD\"],\"weights\":[[0.25,0.75]],"
            "\"sums\":[1.0]}");
}

TEST(Alignment, WhatDoesNotFit) {
  Alignment a{{"a", "b"}, {"x"}, Matrix{{1.0}}};
  expect_error<ShapeError>(
      [&] { alignment_text(a, false, 80); },
      "alignment: found weights [1,1], wanted [1,2]: target tokens, source tokens");
  a.weights = Matrix{{1.0, NAN}};
  for (const auto& show : {+[](const Alignment& x) { alignment_text(x, true, 80); },
                           +[](const Alignment& x) { alignment_svg(x); },
                           +[](const Alignment& x) { alignment_json(x); }})
    expect_error<Error>([&] { show(a); },
                        "alignment: the weight of target token 1 for source token 2 is not a "
                        "finite number");
  const Alignment nothing{{}, {}, Matrix(0, 0)};
  EXPECT_EQ(lines_of(alignment_text(nothing, false, 80)).size(), 1u);
  EXPECT_TRUE(alignment_svg(nothing).starts_with("<svg "));
  EXPECT_EQ(alignment_json(nothing).find("weights")->items().size(), 0u);
}

}  // namespace
}  // namespace jogak
