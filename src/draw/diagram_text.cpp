#include <algorithm>

#include "base/error.h"
#include "base/terminal.h"
#include "draw/picture_text.h"

namespace jogak {
namespace {

constexpr size_t kIndent = 3, kLaneGap = 4;

struct Column {  // a lane as lines of equal width
  std::vector<std::string> lines;
  size_t width = 0;
};

std::string repeated(std::string_view what, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += what;
  return out;
}

std::string cut(const std::string& text, size_t width) {
  return display_width(text) <= width ? text : std::string(fit_columns(text, width - 1)) + "…";
}

// The column of frame and "× 6" before a box's line.
std::string side_of(const DiagramLane& lane, size_t box, bool first_line, size_t width) {
  const std::string& repeat = lane.boxes[box].repeat;
  if (repeat.empty()) return std::string(width + 2, ' ');
  const bool begins = box == 0 || lane.boxes[box - 1].repeat != repeat;
  return pad_right(begins && first_line ? repeat : "", width) +
         (begins && first_line ? "╭ " : "│ ");
}

// Residual connections beside the boxes: out of the stream above one, into the side of a sum.
void add_skips(const DiagramLane& lane, const std::vector<size_t>& tops, Column& out) {
  for (size_t line = 0; line < out.lines.size(); ++line) {
    std::string side = "  ";
    for (const DiagramSkip& skip : lane.skips) {
      const size_t from = tops[skip.from], to = tops[skip.to] + 1;
      if (line == from) side = "─╮";
      if (line > from && line < to) side = " │";
      if (line == to) side = "◀╯";
    }
    out.lines[line] += side;
  }
  out.width += 2;
}

Column column_of(const DiagramLane& lane, size_t most) {
  size_t side = 0, inner = 8;
  for (const DiagramBox& box : lane.boxes) {
    side = std::max(side, display_width(box.repeat));
    inner = std::max({inner, display_width(box.text), display_width(box.note)});
  }
  inner = std::min(inner, most - side - (lane.skips.empty() ? 6 : 8));
  std::vector<size_t> tops;
  Column out;
  out.width = side + 2 + inner + 4;
  out.lines.push_back(pad_right(std::string(side + 2, ' ') + lane.title, out.width));
  for (size_t i = 0; i < lane.boxes.size(); ++i) {
    const DiagramBox& box = lane.boxes[i];
    const auto add = [&](const std::string& body, bool first = false) {
      out.lines.push_back(pad_right(side_of(lane, i, first, side) + body, out.width));
    };
    tops.push_back(out.lines.size());
    add("┌" + repeated("─", inner + 2) + "┐", true);
    add("│ " + pad_right(cut(box.text, inner), inner) + " │");
    if (!box.note.empty()) add("│ " + pad_right(cut(box.note, inner), inner) + " │");
    add("└" + repeated("─", inner / 2 + 1) + (i + 1 < lane.boxes.size() ? "┬" : "─") +
        repeated("─", inner - inner / 2) + "┘");
  }
  if (!lane.skips.empty()) add_skips(lane, tops, out);
  return out;
}

}  // namespace

std::string diagram_text(const Picture& picture, size_t columns) {
  const size_t lanes = std::max<size_t>(picture.lanes.size(), 1);
  const size_t room = (columns - kIndent - (lanes - 1) * kLaneGap) / lanes;
  std::vector<Column> drawn;
  size_t height = 0;
  for (const DiagramLane& lane : picture.lanes) {
    drawn.push_back(column_of(lane, room));
    height = std::max(height, drawn.back().lines.size());
  }
  for (const DiagramLink& link : picture.links) {  // listed below the last box of the first lane
    const std::string words =
        text_of("  └▶ ", link.text, " → ", picture.lanes[1].boxes[link.to].text);
    drawn[0].lines.push_back(pad_right(cut(words, drawn[0].width), drawn[0].width));
  }
  std::string out;
  for (size_t line = 0; line < height; ++line) {
    std::string text(kIndent, ' ');
    for (size_t lane = 0; lane < drawn.size(); ++lane) {
      if (lane > 0) text += std::string(kLaneGap, ' ');
      const bool has = line < drawn[lane].lines.size();
      text += has ? drawn[lane].lines[line] : std::string(drawn[lane].width, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
  return out;
}

}  // namespace jogak
