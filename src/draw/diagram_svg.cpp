#include "base/error.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr double kTop = 84, kBoxWidth = 250, kBoxHeight = 40, kGap = 18, kLaneGap = 110, kLeft = 56;
constexpr double kRight = 56;
constexpr std::string_view kFrame = "#8a94a6", kArrow = "#555555", kCrossArrow = "#d9480f";

std::string_view fill_of(DiagramBox::Part part) {
  switch (part) {
    case DiagramBox::Part::embedding: return "#fde8d0";
    case DiagramBox::Part::attention: return "#d5e5f7";
    case DiagramBox::Part::cross: return "#fbd9cf";
    case DiagramBox::Part::feed_forward: return "#d8efd9";
    case DiagramBox::Part::norm: return "#f3f0d7";
    default: return "#e6dcf2";
  }
}

double left_of(size_t lane) { return kLeft + static_cast<double>(lane) * (kBoxWidth + kLaneGap); }
double top_of(size_t box) { return kTop + static_cast<double>(box) * (kBoxHeight + kGap); }

void arrow_head(Svg& svg, Point tip, bool down, std::string_view colour) {
  const std::string x = svg_number(tip.x), y = svg_number(tip.y);
  const double back = 7, half = 4;
  if (down)
    svg.shape(text_of("M", x, " ", y, "L", svg_number(tip.x - half), " ", svg_number(tip.y - back),
                      "L", svg_number(tip.x + half), " ", svg_number(tip.y - back), "z"),
              colour);
  else
    svg.shape(text_of("M", x, " ", y, "L", svg_number(tip.x - back), " ", svg_number(tip.y - half),
                      "L", svg_number(tip.x - back), " ", svg_number(tip.y + half), "z"),
              colour);
}

void draw_box(Svg& svg, const DiagramBox& box, Point corner) {
  svg.rounded(corner, kBoxWidth, kBoxHeight, fill_of(box.part), kFrame);
  const double middle = corner.x + kBoxWidth / 2;
  if (box.note.empty()) {
    svg.text({middle, corner.y + 25}, box.text, {Svg::Anchor::middle, 13, true});
    return;
  }
  svg.text({middle, corner.y + 17}, box.text, {Svg::Anchor::middle, 13, true});
  svg.text({middle, corner.y + 32}, box.note, {Svg::Anchor::middle, 11, false, "#444444"});
}

// The frame around the boxes that are repeated, with its "× 6".
void draw_repeats(Svg& svg, const DiagramLane& lane, size_t number) {
  for (size_t from = 0; from < lane.boxes.size();) {
    size_t to = from + 1;
    const std::string& repeat = lane.boxes[from].repeat;
    while (to < lane.boxes.size() && lane.boxes[to].repeat == repeat) ++to;
    if (!repeat.empty()) {
      const double margin = 9, height = top_of(to - 1) + kBoxHeight - top_of(from);
      svg.rounded({left_of(number) - margin, top_of(from) - margin}, kBoxWidth + 2 * margin,
                  height + 2 * margin, "#fafbfd", kFrame);
      svg.text({left_of(number) - margin - 5, top_of(from) + height / 2 + 5}, repeat,
               {Svg::Anchor::end, 15, true});
    }
    from = to;
  }
}

void draw_lane(Svg& svg, const DiagramLane& lane, size_t number) {
  draw_repeats(svg, lane, number);
  const double middle = left_of(number) + kBoxWidth / 2;
  svg.text({middle, kTop - 26}, lane.title, {Svg::Anchor::middle, 15, true});
  for (size_t i = 0; i < lane.boxes.size(); ++i) {
    draw_box(svg, lane.boxes[i], {left_of(number), top_of(i)});
    if (i == 0) continue;
    svg.line({middle, top_of(i) - kGap}, {middle, top_of(i) - 6}, kArrow, 1.5);
    arrow_head(svg, {middle, top_of(i)}, true, kArrow);
  }
}

// From below the last box of the first lane up to the side of a box of the second.
void draw_link(Svg& svg, const DiagramLink& link) {
  const double from = left_of(0) + kBoxWidth / 2, bottom = top_of(link.from) + kBoxHeight;
  const double turn = left_of(1) - kLaneGap / 2 - 8, level = bottom + 26;
  const Point tip{left_of(1), top_of(link.to) + kBoxHeight / 2};
  svg.line({from, bottom}, {from, level}, kCrossArrow, 2);
  svg.line({from, level}, {turn, level}, kCrossArrow, 2);
  svg.line({turn, level}, {turn, tip.y}, kCrossArrow, 2);
  svg.line({turn, tip.y}, {tip.x - 6, tip.y}, kCrossArrow, 2);
  arrow_head(svg, tip, false, kCrossArrow);
  svg.text({(from + turn) / 2, level + 17}, link.text,
           {Svg::Anchor::middle, 12, true, kCrossArrow});
}

}  // namespace

Panel diagram_panel(const Picture& picture) {
  Svg svg;
  svg.text({kLeft, 26}, picture.title, {Svg::Anchor::start, 16, true});
  size_t tallest = 0;
  for (size_t lane = 0; lane < picture.lanes.size(); ++lane) {
    draw_lane(svg, picture.lanes[lane], lane);
    tallest = std::max(tallest, picture.lanes[lane].boxes.size() + (lane < picture.links.size()));
  }
  for (const DiagramLink& link : picture.links) draw_link(svg, link);
  const auto lanes = static_cast<double>(picture.lanes.size());
  return {kLeft + lanes * kBoxWidth + (lanes - 1) * kLaneGap + kRight, top_of(tallest) + 6,
          svg.body()};
}

}  // namespace jogak
