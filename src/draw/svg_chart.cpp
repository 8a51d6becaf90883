#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr double kLeft = 74, kRight = 24, kTop = 46, kPlotHeight = 220, kBottom = 52;
constexpr std::string_view kPalette[] = {"#1f5fa8", "#d9480f", "#2b8a3e", "#862e9c",
                                         "#0b7285", "#c2255c", "#7a5c00", "#555555"};

struct Frame {
  double width, low, high;
  double plot_width() const { return width - kLeft - kRight; }
  double y(double value) const {
    return kTop + kPlotHeight * (1 - share_of_range(value, low, high));
  }
};

std::string_view series_colour(int64_t series) { return kPalette[series % 8]; }

// A step of 1, 2 or 5 times a power of ten that cuts the range into at most six parts.
double tick_step(double range) {
  double step = std::pow(10.0, std::floor(std::log10(range)) - 1);
  for (const double factor : {2.0, 2.5, 2.0, 2.0, 2.5}) {
    if (range / step <= 6) break;
    step *= factor;
  }
  return step;
}

void draw_frame(const Picture& p, const Frame& f, Svg& svg) {
  svg.text({kLeft, 26}, p.title, {Svg::Anchor::start, 16, true});
  const double step = tick_step(f.high - f.low);
  for (double tick = std::ceil(f.low / step) * step; tick <= f.high + step * 1e-6; tick += step) {
    const double value = std::abs(tick) < step * 1e-6 ? 0 : tick;
    svg.line({kLeft, f.y(value)}, {f.width - kRight, f.y(value)},
             value == 0 ? "#555555" : "#dddddd");
    const double shown = std::round(value / step) * step;
    svg.text({kLeft - 6, f.y(value) + 4}, exact_text(std::round(shown * 1e9) / 1e9),
             {Svg::Anchor::end, 11});
  }
  svg.text({kLeft + f.plot_width() / 2, kTop + kPlotHeight + 40}, p.x_title,
           {Svg::Anchor::middle, 13});
  svg.text({18, kTop + kPlotHeight / 2}, p.y_title,
           {Svg::Anchor::middle, 13, false, "#222222", true});
}

void draw_places(const Picture& p, const Frame& f, double first, double distance, Svg& svg) {
  const auto most = std::max<int64_t>(1, static_cast<int64_t>(f.plot_width() / 40));
  const int64_t stride = label_stride(p.values.columns, most);
  for (int64_t j = 0; j < p.values.columns && !p.columns.empty(); j += stride)
    svg.text({first + distance * static_cast<double>(j), kTop + kPlotHeight + 18},
             p.columns[static_cast<size_t>(j)], {Svg::Anchor::middle, 11});
}

void draw_bars(const Picture& p, const Frame& f, Svg& svg) {
  const double slot = f.plot_width() / static_cast<double>(p.values.columns);
  const double bar = std::min(slot * 0.8 / static_cast<double>(p.values.rows), 60.0);
  for (int64_t series = 0; series < p.values.rows; ++series)
    for (int64_t j = 0; j < p.values.columns; ++j) {
      const double value = p.values.at(series, j);
      const double middle = kLeft + slot * (static_cast<double>(j) + 0.5);
      const double x =
          middle + bar * (static_cast<double>(series) - static_cast<double>(p.values.rows) / 2);
      const double top = f.y(std::max(value, 0.0)), end = f.y(std::min(value, 0.0));
      svg.rectangle({x, top}, bar * 0.92, end - top, series_colour(series));
      if (bar >= 36)
        svg.text({x + bar * 0.46, value < 0 ? end + 13 : top - 4}, short_text(value),
                 {Svg::Anchor::middle, 11});
    }
  draw_places(p, f, kLeft + slot / 2, slot, svg);
}

void draw_lines(const Picture& p, const Frame& f, Svg& svg) {
  const double steps = std::max<double>(1, static_cast<double>(p.values.columns - 1));
  const double distance = f.plot_width() / steps;
  for (int64_t series = 0; series < p.values.rows; ++series) {
    std::string points;
    for (int64_t j = 0; j < p.values.columns; ++j)
      points += svg_number(kLeft + distance * static_cast<double>(j)) + ',' +
                svg_number(f.y(p.values.at(series, j))) + ' ';
    svg.curve(points, series_colour(series));
  }
  draw_places(p, f, kLeft, distance, svg);
}

constexpr double kLegendLine = 20;

// How many names stand beside each other: as many as have room.
int64_t names_in_line(const Picture& p, const Frame& f) {
  size_t widest = 1;
  for (const std::string& name : p.rows) widest = std::max(widest, display_width(name));
  const auto most = static_cast<int64_t>(f.plot_width() / (34 + 7.2 * static_cast<double>(widest)));
  return std::clamp<int64_t>(most, 1, std::max<int64_t>(p.values.rows, 1));
}

double legend_height(const Picture& p, const Frame& f) {
  if (p.values.rows < 2) return 0;
  const int64_t across = names_in_line(p, f);
  return 12 + kLegendLine * static_cast<double>((p.values.rows + across - 1) / across);
}

void draw_legend(const Picture& p, const Frame& f, Svg& svg) {
  if (p.values.rows < 2) return;
  const int64_t across = names_in_line(p, f);
  const double distance = f.plot_width() / static_cast<double>(across);
  for (int64_t series = 0; series < p.values.rows; ++series) {
    const double x = kLeft + distance * static_cast<double>(series % across);
    const double y =
        kTop + kPlotHeight + kBottom + 14 + kLegendLine * static_cast<double>(series / across);
    svg.rectangle({x, y - 9}, 18, 9, series_colour(series));
    svg.text({x + 24, y}, p.rows[static_cast<size_t>(series)], {Svg::Anchor::start, 12});
  }
}

}  // namespace

Panel chart_panel(const Picture& picture, double width) {
  Frame frame{width, std::min(picture.low, 0.0), picture.high};
  if (frame.high <= frame.low) frame.high = frame.low + 1;
  // Room for the numbers that stand on bars.
  const double air = picture.kind == Picture::Kind::bars ? (frame.high - frame.low) * 0.08 : 0;
  frame.high += frame.high > 0 ? air : 0;
  frame.low -= frame.low < 0 ? air : 0;
  Svg svg;
  draw_frame(picture, frame, svg);
  if (picture.kind == Picture::Kind::bars)
    draw_bars(picture, frame, svg);
  else
    draw_lines(picture, frame, svg);
  draw_legend(picture, frame, svg);
  const double columns = static_cast<double>(picture.values.columns);
  const bool bars = picture.kind == Picture::Kind::bars;
  const double distance = frame.plot_width() / std::max(bars ? columns : columns - 1, 1.0);
  return {width, kTop + kPlotHeight + kBottom + legend_height(picture, frame), svg.body(),
          Point{bars ? kLeft : kLeft - distance / 2, kTop}, Point{distance, 0}};
}

}  // namespace jogak
