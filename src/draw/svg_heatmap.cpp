#include <array>

#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr int kColours = 64;  // cells of one colour share one path, which keeps files small
constexpr double kTop = 46, kBottom = 52, kRight = 96, kTallest = 440, kLargestCell = 72;
constexpr double kLetter = 6.6;                          // width of a letter of labels
constexpr size_t kLongestRow = 30, kLongestColumn = 16;  // letters of a label

std::string shortened(const std::string& label, size_t letters) {
  if (display_width(label) <= letters) return label;
  return std::string(fit_columns(label, letters - 1)) + "…";
}

double widest_label(const std::vector<std::string>& labels, size_t letters) {
  size_t out = 1;
  for (const std::string& label : labels)
    out = std::max(out, std::min(display_width(label), letters));
  return kLetter * static_cast<double>(out);
}

struct Grid {
  double left, cell_width, cell_height;
  int64_t rows, columns;
  bool upright = false;  // column labels are rotated: they are wider than a cell
  double below = 0;      // height of those labels beyond one line
  double width() const { return cell_width * static_cast<double>(columns); }
  double height() const { return cell_height * static_cast<double>(rows); }
  Point corner(int64_t i, int64_t j) const {
    return {left + cell_width * static_cast<double>(j),
            kTop + cell_height * static_cast<double>(i)};
  }
};

Grid layout(const Picture& p, double width) {
  Grid g{44 + widest_label(p.rows, kLongestRow), 0, 0, p.values.rows, p.values.columns};
  const double room = width - g.left - kRight;
  g.cell_width = std::min(room / static_cast<double>(g.columns), kLargestCell);
  g.cell_height = std::min({kTallest / static_cast<double>(g.rows), g.cell_width * 4, 48.0});
  if (g.rows == g.columns) g.cell_height = std::min(g.cell_height, g.cell_width);
  const double label = widest_label(p.columns, kLongestColumn);
  g.upright = label > 34 && label > g.cell_width;
  g.below = g.upright ? label - 8 : 0;
  return g;
}

int colour_index(const Picture& p, double value) {
  const double share = share_of_range(value, p.low, p.high);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (kColours - 1)));
}

Rgb colour_at(const Picture& p, int index) {
  return heat_colour(static_cast<double>(index) / (kColours - 1), p.diverging);
}

void draw_cells(const Picture& p, const Grid& g, Svg& svg) {
  std::array<std::string, kColours> paths;
  for (int64_t i = 0; i < g.rows; ++i)
    for (int64_t j = 0; j < g.columns; ++j) {
      const Point from = g.corner(i, j), to = g.corner(i + 1, j + 1);
      std::string& path = paths[static_cast<size_t>(colour_index(p, p.values.at(i, j)))];
      // Corners are rounded one by one, so that neighbours share their edges exactly.
      path += 'M' + svg_number(from.x) + ' ' + svg_number(from.y) + 'H' + svg_number(to.x) + 'V' +
              svg_number(to.y) + 'H' + svg_number(from.x) + 'z';
    }
  for (int index = 0; index < kColours; ++index)
    if (!paths[static_cast<size_t>(index)].empty())
      svg.path(paths[static_cast<size_t>(index)], svg_colour(colour_at(p, index)));
}

void draw_numbers(const Picture& p, const Grid& g, Svg& svg) {
  if (g.cell_width < 40 || g.cell_height < 18) return;
  for (int64_t i = 0; i < g.rows; ++i)
    for (int64_t j = 0; j < g.columns; ++j) {
      const double value = p.values.at(i, j);
      const Point corner = g.corner(i, j);
      const bool dark = is_dark(colour_at(p, colour_index(p, value)));
      svg.text({corner.x + g.cell_width / 2, corner.y + g.cell_height / 2 + 4}, short_text(value),
               {Svg::Anchor::middle, 11, false, dark ? "#ffffff" : "#222222"});
    }
}

void draw_axes(const Picture& p, const Grid& g, Svg& svg) {
  const double room = g.upright ? 12 : widest_label(p.columns, kLongestColumn) + 5;
  const int64_t most_across = std::max<int64_t>(1, static_cast<int64_t>(g.width() / room));
  const int64_t across = label_stride(g.columns, most_across);
  for (int64_t j = 0; j < g.columns && !p.columns.empty(); j += across) {
    const double middle = g.corner(0, j).x + g.cell_width / 2, below = kTop + g.height();
    const std::string label = shortened(p.columns[static_cast<size_t>(j)], kLongestColumn);
    if (g.upright)
      svg.text({middle + 4, below + 6}, label, {Svg::Anchor::end, 11, false, "#222222", true});
    else
      svg.text({middle, below + 15}, label, {Svg::Anchor::middle, 11});
  }
  const int64_t most_down = std::max<int64_t>(1, static_cast<int64_t>(g.height() / 16));
  const int64_t down = label_stride(g.rows, most_down);
  for (int64_t i = 0; i < g.rows && !p.rows.empty(); i += down)
    svg.text({g.left - 6, g.corner(i, 0).y + g.cell_height / 2 + 4},
             shortened(p.rows[static_cast<size_t>(i)], kLongestRow), {Svg::Anchor::end, 11});
  svg.text({g.left + g.width() / 2, kTop + g.height() + g.below + 36}, p.x_title,
           {Svg::Anchor::middle, 13});
  svg.text({18, kTop + g.height() / 2}, p.y_title,
           {Svg::Anchor::middle, 13, false, "#222222", true});
}

void draw_scale(const Picture& p, const Grid& g, Svg& svg) {
  const double x = g.left + g.width() + 20, height = std::clamp(g.height(), 90.0, 180.0);
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i)
    svg.rectangle({x, kTop + height * i / kSteps}, 14, height / kSteps + 0.5,
                  svg_colour(heat_colour(1 - (i + 0.5) / kSteps, p.diverging)));
  for (const double share : {0.0, 0.5, 1.0})
    svg.text({x + 20, kTop + height * (1 - share) + 4},
             scale_text(p.low + share * (p.high - p.low)), {Svg::Anchor::start, 11});
}

}  // namespace

Panel heatmap_panel(const Picture& picture, double width) {
  const Grid grid = layout(picture, width);
  Svg svg;
  svg.text({grid.left, 26}, picture.title, {Svg::Anchor::start, 16, true});
  draw_cells(picture, grid, svg);
  draw_numbers(picture, grid, svg);
  draw_axes(picture, grid, svg);
  draw_scale(picture, grid, svg);
  return {grid.left + grid.width() + kRight,
          kTop + std::max(grid.height() + grid.below, 110.0) + kBottom, svg.body(),
          grid.corner(0, 0), Point{grid.cell_width, grid.cell_height}};
}

}  // namespace jogak
