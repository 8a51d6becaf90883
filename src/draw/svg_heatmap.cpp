#include <array>

#include "draw/numbers.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr int kColours = 64;  // cells of one colour share one path, which keeps files small
constexpr double kTop = 46, kRight = 96, kTallest = 440, kLargestCell = 72, kSmallestCell = 9;
constexpr size_t kLongestRow = 30;  // letters of a label

struct Grid {
  double left, cell_width, cell_height;
  int64_t rows, columns;
  int row_size = 11;       // of the labels of rows
  AxisLabels across = {};  // of the labels of columns
  double width() const { return cell_width * static_cast<double>(columns); }
  double height() const { return cell_height * static_cast<double>(rows); }
  Point corner(int64_t i, int64_t j) const {
    return {left + cell_width * static_cast<double>(j),
            kTop + cell_height * static_cast<double>(i)};
  }
};

double widest_row(const Picture& p) {
  double out = 6;
  for (const std::string& label : p.rows)
    out = std::max(out, text_width(short_label(label, kLongestRow), 11));
  return out;
}

Grid layout(const Picture& p, double width) {
  Grid g{44 + widest_row(p), 0, 0, p.values.rows, p.values.columns};
  const double room = width - g.left - kRight;
  g.cell_width = std::min(room / static_cast<double>(g.columns), kLargestCell);
  g.cell_height = std::min({kTallest / static_cast<double>(g.rows), g.cell_width * 4, 48.0});
  // A picture grows rather than hide what its sides say.
  const auto named = [](const std::vector<std::string>& labels, int64_t count) {
    return !labels.empty() && count <= kAllLabels;
  };
  if (named(p.columns, g.columns)) g.cell_width = std::max(g.cell_width, kSmallestCell);
  if (g.rows == g.columns) g.cell_height = std::min(g.cell_height, g.cell_width);
  if (named(p.rows, g.rows)) g.cell_height = std::max(g.cell_height, kSmallestCell);
  if (!p.backdrop.pixels.empty())  // an image keeps its proportions
    g.cell_width = g.cell_height = std::min(g.cell_width, g.cell_height);
  g.row_size = std::clamp(static_cast<int>(g.cell_height) - 1, 8, 11);
  g.across = axis_labels(p.columns, g.cell_width);
  g.left = std::max(g.left, g.across.reach - g.cell_width / 2 + 6);
  return g;
}

int colour_index(const Picture& p, double value) {
  const double share = share_of_range(value, p.low, p.high);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (kColours - 1)));
}

Rgb colour_at(const Picture& p, int index) {
  return heat_colour(static_cast<double>(index) / (kColours - 1), p.diverging);
}

// Corners are rounded one by one, so that neighbours share their edges exactly.
std::string square(Point from, Point to) {
  return 'M' + svg_number(from.x) + ' ' + svg_number(from.y) + 'H' + svg_number(to.x) + 'V' +
         svg_number(to.y) + 'H' + svg_number(from.x) + 'z';
}

void draw_cells(const Picture& p, const Grid& g, Svg& svg) {
  std::array<std::string, kColours> paths;
  for (int64_t i = 0; i < g.rows; ++i)
    for (int64_t j = 0; j < g.columns; ++j)
      paths[static_cast<size_t>(colour_index(p, p.values.at(i, j)))] +=
          square(g.corner(i, j), g.corner(i + 1, j + 1));
  for (int index = 0; index < kColours; ++index)
    if (!paths[static_cast<size_t>(index)].empty())
      svg.path(paths[static_cast<size_t>(index)], svg_colour(colour_at(p, index)));
}

// The image in grey under the colours of its patches: what is looked at takes on more colour.
Rgb over_image(double grey, double share) {
  constexpr Rgb kHot{217, 72, 15};
  const auto mixed = [&](uint8_t part) {
    return static_cast<uint8_t>(std::lround(grey + (part - grey) * 0.75 * share));
  };
  return {mixed(kHot.red), mixed(kHot.green), mixed(kHot.blue)};
}

void draw_backdrop(const Picture& p, const Grid& g, Svg& svg) {
  const Backdrop& b = p.backdrop;
  const auto grey_of = [](Rgb c) { return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue; };
  for (int64_t y = 0; y < b.rows; ++y)
    for (int64_t x = 0; x < b.columns; ++x) {
      const int64_t i = y * g.rows / b.rows, j = x * g.columns / b.columns;
      const double share = std::clamp(share_of_range(p.values.at(i, j), p.low, p.high), 0.0, 1.0);
      const double grey = 60 + 0.75 * grey_of(b.pixels[static_cast<size_t>(y * b.columns + x)]);
      const auto at = [&](int64_t row, int64_t column) {
        return Point{
            g.left + g.width() * static_cast<double>(column) / static_cast<double>(b.columns),
            kTop + g.height() * static_cast<double>(row) / static_cast<double>(b.rows)};
      };
      svg.path(square(at(y, x), at(y + 1, x + 1)), svg_colour(over_image(grey, share)));
    }
}

void draw_numbers(const Picture& p, const Grid& g, Svg& svg) {
  double widest = 34;
  for (const double value : p.values.values)
    widest = std::max(widest, text_width(short_text(value), 11));
  if (g.cell_width < widest + 4 || g.cell_height < 18) return;
  for (int64_t i = 0; i < g.rows; ++i)
    for (int64_t j = 0; j < g.columns; ++j) {
      const double value = p.values.at(i, j);
      const Point corner = g.corner(i, j);
      const bool dark = is_dark(colour_at(p, colour_index(p, value)));
      svg.text({corner.x + g.cell_width / 2, corner.y + g.cell_height / 2 + 4}, short_text(value),
               {Svg::Anchor::middle, 11, false, dark ? "#ffffff" : "#222222"});
    }
}

void draw_labels(const Picture& p, const Grid& g, Svg& svg) {
  for (int64_t j = 0; j < g.columns && !p.columns.empty(); j += g.across.stride)
    draw_label(svg, {g.corner(0, j).x + g.cell_width / 2, kTop + g.height()},
               p.columns[static_cast<size_t>(j)], g.across);
  const int64_t most = static_cast<int64_t>(g.height() / (g.row_size + 1));
  const int64_t down = label_stride(g.rows, std::max<int64_t>(1, most));
  for (int64_t i = 0; i < g.rows && !p.rows.empty(); i += down)
    svg.text({g.left - 6, g.corner(i, 0).y + g.cell_height / 2 + 4},
             short_label(p.rows[static_cast<size_t>(i)], kLongestRow),
             {Svg::Anchor::end, g.row_size});
}

// Titles of the axes; gives back where they end.
Point draw_titles(const Picture& p, const Grid& g, Svg& svg) {
  const double x = centred(g.left + g.width() / 2, p.x_title, 13, 4);
  const double y = centred(kTop + g.height() / 2, p.y_title, 13, 34);
  const double below = kTop + g.height() + g.across.height + 21;
  svg.text({x, below}, p.x_title, {Svg::Anchor::middle, 13});
  svg.text({18, y}, p.y_title, {Svg::Anchor::middle, 13, false, "#222222", 90});
  return {x + text_width(p.x_title, 13) / 2,
          std::max(below + 16, y + text_width(p.y_title, 13) / 2 + 6)};
}

void draw_scale(const Picture& p, const Grid& g, Svg& svg) {
  const double x = g.left + g.width() + 20, height = std::clamp(g.height(), 90.0, 180.0);
  constexpr int kSteps = 32;
  constexpr double kMiddleGrey = 156;  // of an image under the colours
  for (int i = 0; i < kSteps; ++i) {
    const double share = 1 - (i + 0.5) / kSteps;
    const Rgb colour = p.backdrop.pixels.empty() ? heat_colour(share, p.diverging)
                                                 : over_image(kMiddleGrey, share);
    svg.rectangle({x, kTop + height * i / kSteps}, 14, height / kSteps + 0.5, svg_colour(colour));
  }
  for (const double share : {0.0, 0.5, 1.0})
    svg.text({x + 20, kTop + height * (1 - share) + 4},
             scale_text(p.low + share * (p.high - p.low)), {Svg::Anchor::start, 11});
}

}  // namespace

Panel heatmap_panel(const Picture& picture, double width) {
  const Grid grid = layout(picture, width);
  Svg svg;
  svg.text({grid.left, 26}, picture.title, {Svg::Anchor::start, 16, true});
  if (picture.backdrop.pixels.empty())
    draw_cells(picture, grid, svg), draw_numbers(picture, grid, svg);
  else
    draw_backdrop(picture, grid, svg);
  draw_labels(picture, grid, svg);
  const Point end = draw_titles(picture, grid, svg);
  draw_scale(picture, grid, svg);
  return {std::max({grid.left + grid.width() + kRight, end.x + 4,
                    grid.left + text_width(picture.title, 16, true) + 8}),
          std::max(end.y, kTop + 110 + 52), svg.body(), grid.corner(0, 0),
          Point{grid.cell_width, grid.cell_height}};
}

}  // namespace jogak
