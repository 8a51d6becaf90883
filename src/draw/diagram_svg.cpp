#include "base/error.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr double kTop = 84, kBoxHeight = 40, kGap = 18, kLaneGap = 126, kLeft = 56;
constexpr double kRight = 56, kSkipAt = 20;
constexpr std::string_view kFrame = "#8a94a6", kArrow = "#555555", kCrossArrow = "#d9480f";
constexpr std::string_view kSkipArrow = "#2b8a3e";

struct Lanes {
  double box;  // width of the boxes
  double left(size_t lane) const { return kLeft + static_cast<double>(lane) * (box + kLaneGap); }
};

// As wide as the widest text.
Lanes lanes_of(const Picture& picture) {
  Lanes out{250};
  for (const DiagramLane& lane : picture.lanes)
    for (const DiagramBox& box : lane.boxes)
      out.box =
          std::max({out.box, 20 + text_width(box.text, 13, true), 20 + text_width(box.note, 11)});
  return out;
}

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

double top_of(size_t box) { return kTop + static_cast<double>(box) * (kBoxHeight + kGap); }

// `along` points where the arrow goes: one of right, left and down.
void arrow_head(Svg& svg, Point tip, Point along, std::string_view colour) {
  const double back = 7, half = 4;
  const Point end{tip.x - back * along.x, tip.y - back * along.y};
  const auto at = [](double x, double y) { return svg_number(x) + " " + svg_number(y); };
  svg.shape(text_of("M", at(tip.x, tip.y), "L", at(end.x - half * along.y, end.y - half * along.x),
                    "L", at(end.x + half * along.y, end.y + half * along.x), "z"),
            colour);
}

void draw_box(Svg& svg, const DiagramBox& box, Point corner, double width) {
  svg.rounded(corner, width, kBoxHeight, fill_of(box.part), kFrame);
  const double middle = corner.x + width / 2;
  if (box.note.empty()) {
    svg.text({middle, corner.y + 25}, box.text, {Svg::Anchor::middle, 13, true});
    return;
  }
  svg.text({middle, corner.y + 17}, box.text, {Svg::Anchor::middle, 13, true});
  svg.text({middle, corner.y + 32}, box.note, {Svg::Anchor::middle, 11, false, "#444444"});
}

// The frame around the boxes that are repeated, with its "× 6".
void draw_repeats(Svg& svg, const DiagramLane& lane, const Lanes& lanes, double left) {
  for (size_t from = 0; from < lane.boxes.size();) {
    size_t to = from + 1;
    const std::string& repeat = lane.boxes[from].repeat;
    while (to < lane.boxes.size() && lane.boxes[to].repeat == repeat) ++to;
    if (!repeat.empty()) {
      const double margin = 9, height = top_of(to - 1) + kBoxHeight - top_of(from);
      const double right = lane.skips.empty() ? margin : margin + kSkipAt;
      svg.rounded({left - margin, top_of(from) - margin}, lanes.box + margin + right,
                  height + 2 * margin, "#fafbfd", kFrame);
      svg.text({left - margin - 5, top_of(from) + height / 2 + 5}, repeat,
               {Svg::Anchor::end, 15, true});
    }
    from = to;
  }
}

// Residual connections: out of the stream above a box, past it, and into the side of the sum.
void draw_skips(Svg& svg, const DiagramLane& lane, const Lanes& lanes, double left) {
  for (const DiagramSkip& skip : lane.skips) {
    const double level = top_of(skip.from) - kGap / 2, right = left + lanes.box;
    const Point tip{right, top_of(skip.to) + kBoxHeight / 2};
    svg.line({left + lanes.box / 2, level}, {right + kSkipAt, level}, kSkipArrow, 1.5);
    svg.line({right + kSkipAt, level}, {right + kSkipAt, tip.y}, kSkipArrow, 1.5);
    svg.line({right + kSkipAt, tip.y}, {right + 6, tip.y}, kSkipArrow, 1.5);
    arrow_head(svg, tip, {-1, 0}, kSkipArrow);
  }
}

void draw_lane(Svg& svg, const DiagramLane& lane, const Lanes& lanes, double left) {
  draw_repeats(svg, lane, lanes, left);
  const double middle = left + lanes.box / 2;
  svg.text({middle, kTop - 26}, lane.title, {Svg::Anchor::middle, 15, true});
  for (size_t i = 0; i < lane.boxes.size(); ++i) {
    draw_box(svg, lane.boxes[i], {left, top_of(i)}, lanes.box);
    if (i == 0) continue;
    svg.line({middle, top_of(i) - kGap}, {middle, top_of(i) - 6}, kArrow, 1.5);
    arrow_head(svg, {middle, top_of(i)}, {0, 1}, kArrow);
  }
  draw_skips(svg, lane, lanes, left);
}

// From below the last box of the first lane up to the side of a box of the second.
void draw_link(Svg& svg, const DiagramLink& link, const Lanes& lanes) {
  const double from = lanes.left(0) + lanes.box / 2, bottom = top_of(link.from) + kBoxHeight;
  const double turn = lanes.left(1) - kLaneGap / 2 - 4, level = bottom + 26;
  const Point tip{lanes.left(1), top_of(link.to) + kBoxHeight / 2};
  svg.line({from, bottom}, {from, level}, kCrossArrow, 2);
  svg.line({from, level}, {turn, level}, kCrossArrow, 2);
  svg.line({turn, level}, {turn, tip.y}, kCrossArrow, 2);
  svg.line({turn, tip.y}, {tip.x - 6, tip.y}, kCrossArrow, 2);
  arrow_head(svg, tip, {1, 0}, kCrossArrow);
  svg.text({(from + turn) / 2, level + 17}, link.text,
           {Svg::Anchor::middle, 12, true, kCrossArrow});
}

}  // namespace

Panel diagram_panel(const Picture& picture) {
  Svg svg;
  svg.text({kLeft, 26}, picture.title, {Svg::Anchor::start, 16, true});
  const Lanes lanes = lanes_of(picture);
  size_t tallest = 0;
  for (size_t lane = 0; lane < picture.lanes.size(); ++lane) {
    draw_lane(svg, picture.lanes[lane], lanes, lanes.left(lane));
    tallest = std::max(tallest, picture.lanes[lane].boxes.size() + (lane < picture.links.size()));
  }
  for (const DiagramLink& link : picture.links) draw_link(svg, link, lanes);
  const double width = lanes.left(picture.lanes.size()) - kLaneGap + kRight;
  return {std::max(width, kLeft + text_width(picture.title, 16, true)), top_of(tallest) + 6,
          svg.body()};
}

}  // namespace jogak
