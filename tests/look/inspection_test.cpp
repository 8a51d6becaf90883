// Renderers of inspections, pictures of points, and what heads do.
#include "look/inspection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "draw/raster.h"
#include "draw/stroke_font.h"
#include "look/head_stats.h"

namespace jogak {
namespace {

Inspection small() {
  Inspection out{.what = "attention", .title = "gpt2: <self>", .model_type = "gpt2"};
  Picture p{.name = "attention.self.0.1",
            .title = "layer 0 · head 1",
            .x_title = "key",
            .y_title = "query"};
  p.values = {{1, 0}, {0.25, 0.75}};
  p.rows = p.columns = {"나는", "</script>"};
  out.plates.push_back({p, {{"layer", 0}, {"head", 1}}});
  out.tables.push_back({"t", "a table", {"name", "value"}, {{"a", 1.5}, {"b", Json()}}});
  return out;
}

TEST(Inspections, AreOneJsonObject) {
  const Json json = parse_json(to_json(small()).dump(), "json");
  EXPECT_EQ(json.find("schema")->integer(), 1);
  const Json& picture = json.find("pictures")->items()[0];
  EXPECT_EQ(picture.find("head")->integer(), 1);
  EXPECT_EQ(picture.find("values")->dump(), "[[1.0,0.0],[0.25,0.75]]");
  EXPECT_TRUE(json.find("tables")->items()[0].find("rows")->items()[1].items()[1].is_null());
}

TEST(Inspections, AreTextWithTokensAndSums) {
  const std::string text = to_text(small(), false, 80);
  for (const char* wanted : {"layer 0 · head 1", "나는", "Σ", "1.00", "a table", "1.5000", "–"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
}

// What stands in a page cannot end the element it stands in, and nothing is fetched.
TEST(Inspections, AreAPageThatNeedsNothingElse) {
  const std::string page = to_html(small());
  EXPECT_EQ(page.find("</script>\""), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
  EXPECT_NE(page.find("data-grid=\""), std::string::npos);
  size_t ends = 0;
  for (size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2u);
}

TEST(Raster, DrawsTheSvgWeWrite) {
  const Raster r = rasterize(
      "<svg width=\"10\" height=\"6\"><rect x=\"2\" y=\"1\" width=\"3\" height=\"2\" "
      "fill=\"#ff0000\"/><g transform=\"translate(4 2)\"><path fill=\"#0000ff\" "
      "d=\"M2 1H4V3H2z\"/></g></svg>",
      1);
  ASSERT_EQ(r.width, 10);
  ASSERT_EQ(r.height, 6);
  const auto at = [&](int64_t x, int64_t y) {
    const uint8_t* p = r.pixels.data() + (y * r.width + x) * 3;
    return std::vector<int>{p[0], p[1], p[2]};
  };
  EXPECT_EQ(at(2, 1), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(at(4, 2), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(at(5, 2), (std::vector<int>{255, 255, 255}));
  EXPECT_EQ(at(6, 3), (std::vector<int>{0, 0, 255}));
  EXPECT_EQ(at(8, 3), (std::vector<int>{255, 255, 255}));
}

TEST(Raster, DrawsEveryInspectionAndRefusesTheRest) {
  const Raster r = rasterize(to_svg(small()));
  size_t dark = 0;
  for (const uint8_t x : r.pixels) dark += x < 128;
  EXPECT_GT(dark, 500u);
  EXPECT_THROW(rasterize("<svg width=\"9\" height=\"9\"><circle r=\"3\"/></svg>"), FormatError);
  EXPECT_THROW(rasterize("<svg width=\"99999\" height=\"9\"></svg>"), UsageError);
  EXPECT_THROW(rasterize("no picture"), FormatError);
}

TEST(StrokeFont, HasEveryLetterAndEverySyllable) {
  const auto same = [](const std::string& a, const std::string& b) {
    const StrokedText x = stroked(a), y = stroked(b);
    if (x.glyphs.at(0).size() != y.glyphs.at(0).size()) return false;
    for (size_t i = 0; i < x.glyphs[0].size(); ++i)
      if (x.glyphs[0][i].x0 != y.glyphs[0][i].x0 || x.glyphs[0][i].y0 != y.glyphs[0][i].y0 ||
          x.glyphs[0][i].x1 != y.glyphs[0][i].x1 || x.glyphs[0][i].y1 != y.glyphs[0][i].y1)
        return false;
    return true;
  };
  for (char c = '!'; c <= '~'; ++c) {
    EXPECT_FALSE(stroked(std::string(1, c)).glyphs.at(0).empty()) << c;
    for (char d = '!'; d < c; ++d) {
      const bool alike = (c == 'l' && d == 'I') || (c == '|' && (d == 'I' || d == 'l'));
      EXPECT_TRUE(alike || !same(std::string(1, c), std::string(1, d))) << c << d;
    }
  }
  EXPECT_FALSE(same("가", "나"));
  EXPECT_FALSE(same("가", "각"));
  EXPECT_FALSE(same("고", "구"));
  EXPECT_FALSE(same("괘", "궤"));
  EXPECT_EQ(stroked("힣").glyphs.at(0).size(), stroked("\xF0\x9F\x98\x80힣").glyphs.at(1).size());
  EXPECT_GT(stroked("wide").width, stroked("i").width);
}

TEST(HeadStats, NameWhatAHeadLooksAt) {
  const std::vector<int64_t> tokens = {4, 7, 9, 4};
  Matrix previous(4, 4), first(4, 4), induction(4, 4);
  previous.at(0, 0) = 1;
  for (int64_t i = 1; i < 4; ++i) previous.at(i, i - 1) = 1;
  for (int64_t i = 0; i < 4; ++i) first.at(i, 0) = 1;
  induction.at(0, 0) = induction.at(1, 1) = induction.at(2, 2) = 1;
  induction.at(3, 1) = 1;  // 7 stood behind the first 4
  EXPECT_EQ(head_name(head_stats(previous, tokens, false)), "previous");
  EXPECT_DOUBLE_EQ(head_stats(previous, tokens, false).previous, 1);
  EXPECT_DOUBLE_EQ(head_stats(previous, tokens, false).distance, 0.75);
  EXPECT_EQ(head_name(head_stats(first, tokens, false)), "first");
  const HeadMeasures s = head_stats(induction, tokens, false);
  EXPECT_DOUBLE_EQ(s.induction, 1);
  EXPECT_DOUBLE_EQ(s.itself, 0.75);
  EXPECT_DOUBLE_EQ(s.entropy, 0);
}

TEST(HeadStats, EvenAttentionIsEvenAndMaskedRowsDoNotCount) {
  Matrix even(2, 4, 0.25);
  const HeadMeasures s = head_stats(even, {}, true);
  EXPECT_DOUBLE_EQ(s.entropy, 2);
  EXPECT_DOUBLE_EQ(s.first, 0.25);
  EXPECT_TRUE(std::isnan(s.previous));
  EXPECT_EQ(head_name(s), "even");
  Matrix half(2, 2);
  half.at(1, 1) = 1;
  EXPECT_DOUBLE_EQ(head_stats(half, {}, false).itself, 1);
}

}  // namespace
}  // namespace jogak
