#include <algorithm>

#include "base/terminal.h"
#include "draw/svg.h"
#include "look/inspection.h"

namespace jogak {
namespace {

constexpr double kMargin = 14, kTitle = 44, kWidest = 760, kRow = 19, kLetter = 7.2;

double room_of(int64_t across) { return across == 1 ? kWidest : across == 2 ? 470 : 380; }

// Many small heat maps stand side by side.
int64_t columns_of(const Inspection& shown) {
  const bool maps = std::all_of(shown.plates.begin(), shown.plates.end(), [](const Plate& p) {
    return p.picture.kind == Picture::Kind::heatmap && p.picture.values.columns <= 40;
  });
  if (!maps || shown.plates.size() < 2) return 1;
  const int64_t wished = shown.plates.size() <= 4 ? 2 : shown.plates.size() <= 9 ? 3 : 4;
  constexpr double kPage = 1640;  // what grew for its labels has fewer neighbours
  double widest = 1;
  for (const Plate& plate : shown.plates)
    widest = std::max(widest, picture_panel(plate.picture, room_of(wished)).width);
  return std::clamp<int64_t>(static_cast<int64_t>(kPage / widest), 1, wished);
}

// A table as text in columns, every other row on grey.
Panel table_panel(const DataTable& table, Lang lang) {
  const std::vector<std::string> heads = table_heads(table, lang);
  std::vector<double> widths;
  for (const std::string& head : heads) widths.push_back(static_cast<double>(display_width(head)));
  for (size_t i = 0; i < table.rows.size(); ++i)
    for (size_t j = 0; j < table.rows[i].size() && j < widths.size(); ++j)
      widths[j] = std::max(widths[j], static_cast<double>(display_width(table_cell(table, i, j))));
  double width = kMargin;
  for (double& one : widths) one = one * kLetter + 22, width += one;
  Svg svg;
  double y = 20;
  if (!table.title.empty())
    svg.text({kMargin, y}, table.title, {Svg::Anchor::start, 15, true}), y += 24;
  const auto line = [&](const std::vector<std::string>& cells, const std::vector<bool>& numbers,
                        bool bold) {
    double x = kMargin;
    for (size_t j = 0; j < cells.size() && j < widths.size(); ++j) {
      const bool right = numbers[j];
      svg.text({right ? x + widths[j] - 22 : x, y}, cells[j],
               {right ? Svg::Anchor::end : Svg::Anchor::start, 12, bold});
      x += widths[j];
    }
    y += kRow;
  };
  std::vector<bool> numbers;
  for (size_t j = 0; j < table.columns.size(); ++j)
    numbers.push_back(std::any_of(table.rows.begin(), table.rows.end(), [j](const auto& row) {
      return j < row.size() && row[j].is_number();
    }));
  line(heads, numbers, true);
  svg.line({kMargin, y - 13}, {width, y - 13}, "#999999");
  y += 2;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (i % 2 == 1) svg.rectangle({kMargin - 4, y - 14}, width - kMargin + 4, kRow, "#f2f4f7");
    std::vector<std::string> cells;
    for (size_t j = 0; j < table.rows[i].size(); ++j) cells.push_back(table_cell(table, i, j));
    line(cells, numbers, false);
  }
  return {width + kMargin, y, svg.body()};
}

std::string moved(const Panel& panel, Point to) {
  return text_of("<g transform=\"translate(", svg_number(to.x), " ", svg_number(to.y), ")\">\n",
                 panel.body, "</g>\n");
}

}  // namespace

std::string to_svg(const Inspection& shown) {
  const int64_t across = columns_of(shown);
  const double room = room_of(across);
  Svg head;
  head.text({kMargin, 28}, shown.title, {Svg::Anchor::start, 18, true});
  std::string body = head.body();
  double width = kMargin * 2 + text_width(shown.title, 18, true), y = kTitle;
  for (size_t first = 0; first < shown.plates.size(); first += static_cast<size_t>(across)) {
    double x = 0, tallest = 0;
    for (size_t i = first; i < std::min(shown.plates.size(), first + static_cast<size_t>(across));
         ++i) {
      const Panel panel = picture_panel(shown.plates[i].picture, room);
      body += moved(panel, {x, y});
      x += panel.width, tallest = std::max(tallest, panel.height);
    }
    width = std::max(width, x), y += tallest + kMargin;
  }
  const bool drawn = std::any_of(shown.plates.begin(), shown.plates.end(), [](const Plate& p) {
    return p.picture.kind == Picture::Kind::diagram;  // the table says the same
  });
  for (const DataTable& table : drawn ? std::vector<DataTable>{} : shown.tables) {
    const Panel panel = table_panel(table, shown.lang);
    body += moved(panel, {0, y});
    width = std::max(width, panel.width), y += panel.height + kMargin;
  }
  return svg_file({width, y, shown.lang, shown.title}, body);
}

}  // namespace jogak
