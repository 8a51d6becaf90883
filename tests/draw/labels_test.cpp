// Texts in pictures: all of them are there, inside, and apart.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "draw/outline.h"
#include "draw/outline_font.h"
#include "draw/raster.h"
#include "draw/svg.h"

namespace jogak {
namespace {

struct Placed {
  std::string text;
  double x = 0, y = 0, size = 0, turn = 0, width = 0;
  std::string anchor = {};
};

double attribute(const std::string& tag, const std::string& name) {
  const size_t at = tag.find(name) + name.size();
  double out = 0;
  std::from_chars(tag.data() + at, tag.data() + tag.size(), out);
  return out;
}

std::vector<Placed> texts_of(const std::string& svg) {
  std::vector<Placed> out;
  for (size_t at = 0; (at = svg.find("<text", at)) != std::string::npos; ++at) {
    const size_t close = svg.find('>', at);
    const std::string tag = svg.substr(at, close - at);
    Placed one{svg.substr(close + 1, svg.find('<', close) - close - 1)};
    one.x = attribute(tag, " x=\""), one.y = attribute(tag, " y=\"");
    one.size = attribute(tag, "font-size=\"");
    one.turn = tag.find("rotate(") == std::string::npos ? 0 : -attribute(tag, "rotate(");
    const size_t anchor = tag.find("anchor=\"") + 8;
    one.anchor = tag.substr(anchor, tag.find('"', anchor) - anchor);
    one.width = text_width(one.text, one.size, tag.find("bold") != std::string::npos);
    out.push_back(one);
  }
  return out;
}

// Along the text and across it, in the text's own direction.
struct Reach {
  double from, to, base;
};
Reach reach_of(const Placed& t) {
  const double a = t.turn * M_PI / 180;
  const double along = t.x * std::cos(a) - t.y * std::sin(a);
  const double across = t.x * std::sin(a) + t.y * std::cos(a);
  const double shift = t.anchor == "end" ? t.width : t.anchor == "middle" ? t.width / 2 : 0;
  return {along - shift, along - shift + t.width, across};
}

void expect_readable(const Panel& panel) {
  const auto texts = texts_of(panel.body);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Placed& a = texts[i];
    const Reach one = reach_of(a);
    const double angle = a.turn * M_PI / 180;
    for (const double end : {one.from, one.to}) {
      const double x = end * std::cos(angle) + one.base * std::sin(angle);
      const double y = -end * std::sin(angle) + one.base * std::cos(angle);
      EXPECT_TRUE(x >= -1 && x <= panel.width + 1 && y >= 0 && y <= panel.height + 1)
          << a.text << " at " << x << ", " << y << " of " << panel.width << " x " << panel.height;
    }
    for (size_t j = 0; j < i; ++j) {
      if (texts[j].turn != a.turn) continue;
      const Reach other = reach_of(texts[j]);
      const bool apart = one.to < other.from || other.to < one.from ||
                         std::abs(one.base - other.base) >= std::max(a.size, texts[j].size) * 0.95;
      EXPECT_TRUE(apart) << a.text << " touches " << texts[j].text;
    }
  }
}

Picture map_of(int64_t rows, int64_t columns, const std::string& word) {
  Picture p{
      .title =
          "한 줄에 다 들어가지 않을 만큼 긴 제목: the title is longer than the picture is wide"};
  p.x_title = "키: 보이는 토큰", p.y_title = "쿼리: 보는 토큰";
  p.values = Matrix(rows, columns, 0.25);
  for (int64_t i = 0; i < rows; ++i) p.rows.push_back(word + std::to_string(i));
  for (int64_t j = 0; j < columns; ++j) p.columns.push_back(word + std::to_string(j));
  return p;
}

TEST(Labels, EveryKeyIsShownUpToForty) {
  for (const int64_t columns : {1, 2, 7, 12, 23, 40})
    for (const char* word : {"t", "토큰", "트랜스포머", "internationalization"})
      for (const double width : {380.0, 470.0, 760.0}) {
        const Picture p = map_of(std::min<int64_t>(columns, 9), columns, word);
        const Panel panel = heatmap_panel(p, width);
        expect_readable(panel);
        size_t labels = 0;
        for (const Placed& t : texts_of(panel.body))
          labels += t.text.starts_with(std::string(word).substr(0, 3)) && t.size >= 7;
        EXPECT_EQ(labels, p.rows.size() + p.columns.size()) << word << " " << width;
      }
  expect_readable(heatmap_panel(map_of(40, 40, "토큰"), 380));
  expect_readable(heatmap_panel(map_of(120, 200, "토큰"), 760));
}

// Beside an image the scale shows what lies over the image: from its grey to the colour of a
// weight.
TEST(Scales, BesideAnImageHaveTheColoursOverIt) {
  Picture p = map_of(1, 2, "t");
  p.values = {{0, 1}};
  p.backdrop = {1, 2, {{128, 128, 128}, {128, 128, 128}}};
  const auto fills = [](const std::string& svg, const std::string& tag) {
    std::vector<std::string> out;
    for (size_t at = 0; (at = svg.find(tag, at)) != std::string::npos; ++at)
      out.push_back(svg.substr(svg.find("fill=\"", at) + 6, 7));
    return out;
  };
  const std::string body = heatmap_panel(p, 380).body;
  const std::vector<std::string> patches = fills(body, "<path"), scale = fills(body, "<rect");
  ASSERT_EQ(patches.size(), 2u) << body;
  ASSERT_GT(scale.size(), 2u);
  const auto apart = [](const std::string& a, const std::string& b) {
    int out = 0;
    for (const size_t at : {1, 3, 5}) {
      int x = 0, y = 0;
      std::from_chars(a.data() + at, a.data() + at + 2, x, 16);
      std::from_chars(b.data() + at, b.data() + at + 2, y, 16);
      out = std::max(out, std::abs(x - y));
    }
    return out;
  };
  EXPECT_LE(apart(scale.front(), patches[1]), 3) << scale.front() << " " << patches[1];
  EXPECT_LE(apart(scale.back(), patches[0]), 3) << scale.back() << " " << patches[0];
}

TEST(Labels, OfChartsDoNotTouch) {
  for (const int64_t columns : {3, 17, 40, 130})
    for (const char* word : {"", "트랜스포머", "encoder.layers."}) {
      Picture p = map_of(1, columns, word);
      for (const Picture::Kind kind : {Picture::Kind::bars, Picture::Kind::lines}) {
        p.kind = kind, p.high = 123456.7;
        expect_readable(chart_panel(p, 760));
      }
    }
}

TEST(Labels, OfDiagramsFitTheirBoxes) {
  for (const auto wiring : {ModelOutline::Wiring::encoder_decoder, ModelOutline::Wiring::decoder,
                            ModelOutline::Wiring::encoder}) {
    const Picture p = diagram_of(example_outline(wiring), Lang::ko);
    expect_readable(diagram_panel(p));
    for (const DiagramLane& lane : p.lanes) {
      EXPECT_GE(lane.skips.size(), 2u);  // a residual connection past every sub-layer
      for (const DiagramSkip& skip : lane.skips) {
        EXPECT_LT(skip.from, skip.to);
        EXPECT_EQ(lane.boxes[skip.to].part, DiagramBox::Part::norm);
      }
    }
  }
}

// Letters of a font are filled and have holes; a space draws nothing; other characters are strokes.
TEST(Raster, TakesLettersOfAnInstalledFont) {
  const auto dark = [](const std::string& text) {
    const Raster r = rasterize(
        "<svg width=\"40\" height=\"30\"><text x=\"4\" y=\"22\" font-size=\"20\" "
        "text-anchor=\"start\" fill=\"#000000\">" +
            text + "</text></svg>",
        1);
    double out = 0;
    for (const uint8_t x : r.pixels) out += 255 - x;
    return out / 3 / 255;
  };
  EXPECT_EQ(dark(" "), 0);
  EXPECT_GT(dark("한"), 20);
  EXPECT_LT(dark("한"), 200);  // of 400
  EXPECT_GT(dark("뷁"), dark("한"));
  if (!letter_outline(U'한', false)) GTEST_SKIP() << "no font with Hangul is installed";
  const auto letter = letter_outline(U'ㅇ', true);
  ASSERT_TRUE(letter.has_value());
  EXPECT_EQ(letter->rings.size(), 2u);  // the ring and what it leaves open
  EXPECT_GT(letter->advance, 0.5);
}

}  // namespace
}  // namespace jogak
