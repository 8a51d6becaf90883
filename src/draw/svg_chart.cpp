#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/picture.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr double kRight = 24, kTop = 46, kPlotHeight = 220;
constexpr std::string_view kPalette[] = {"#1f5fa8", "#d9480f", "#2b8a3e", "#862e9c",
                                         "#0b7285", "#c2255c", "#7a5c00", "#555555"};

struct Frame {
  double width, low, high;
  double left = 74;        // of the plot: behind the numbers of the y axis
  AxisLabels places = {};  // of the x axis
  double bottom = 52;      // below the plot: labels and the title of the axis
  double plot_width() const { return width - left - kRight; }
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

struct Tick {
  double value;
  std::string text;
};

std::vector<Tick> ticks_of(const Frame& f) {
  std::vector<Tick> out;
  const double step = tick_step(f.high - f.low);
  for (double tick = std::ceil(f.low / step) * step; tick <= f.high + step * 1e-6; tick += step) {
    const double value = std::abs(tick) < step * 1e-6 ? 0 : tick;
    const double shown = std::round(value / step) * step;
    out.push_back({value, exact_text(std::round(shown * 1e9) / 1e9)});
  }
  return out;
}

// Room for the numbers of the y axis, for the labels below and for the numbers on bars.
Frame frame_of(const Picture& p, double width) {
  const bool bars = p.kind == Picture::Kind::bars;
  Frame f{width, std::min(p.low, 0.0), p.high};
  if (f.high <= f.low) f.high = f.low + 1;
  const double air = bars ? (f.high - f.low) * 0.08 : 0;
  f.high += f.high > 0 ? air : 0;
  f.low -= f.low < 0 ? air : 0;
  for (const Tick& tick : ticks_of(f)) f.left = std::max(f.left, 36 + text_width(tick.text, 11));
  const auto columns = static_cast<double>(p.values.columns);
  f.places = axis_labels(p.columns, f.plot_width() / std::max(bars ? columns : columns - 1, 1.0));
  f.left = std::max(f.left, f.places.reach + 4);
  f.bottom = 37 + f.places.height;
  return f;
}

void draw_frame(const Picture& p, const Frame& f, Svg& svg) {
  svg.text({f.left, 26}, p.title, {Svg::Anchor::start, 16, true});
  for (const Tick& tick : ticks_of(f)) {
    svg.line({f.left, f.y(tick.value)}, {f.width - kRight, f.y(tick.value)},
             tick.value == 0 ? "#555555" : "#dddddd");
    svg.text({f.left - 6, f.y(tick.value) + 4}, tick.text, {Svg::Anchor::end, 11});
  }
  svg.text({f.left + f.plot_width() / 2, kTop + kPlotHeight + f.bottom - 12}, p.x_title,
           {Svg::Anchor::middle, 13});
  svg.text({18, centred(kTop + kPlotHeight / 2, p.y_title, 13, 34)}, p.y_title,
           {Svg::Anchor::middle, 13, false, "#222222", 90});
}

void draw_places(const Picture& p, const Frame& f, double first, double distance, Svg& svg) {
  for (int64_t j = 0; j < p.values.columns && !p.columns.empty(); j += f.places.stride)
    draw_label(svg, {first + distance * static_cast<double>(j), kTop + kPlotHeight + 3},
               p.columns[static_cast<size_t>(j)], f.places);
}

void draw_bars(const Picture& p, const Frame& f, Svg& svg) {
  const double slot = f.plot_width() / static_cast<double>(p.values.columns);
  const double bar = std::min(slot * 0.8 / static_cast<double>(p.values.rows), 60.0);
  for (int64_t series = 0; series < p.values.rows; ++series)
    for (int64_t j = 0; j < p.values.columns; ++j) {
      const double value = p.values.at(series, j);
      const double middle = f.left + slot * (static_cast<double>(j) + 0.5);
      const double x =
          middle + bar * (static_cast<double>(series) - static_cast<double>(p.values.rows) / 2);
      const double top = f.y(std::max(value, 0.0)), end = f.y(std::min(value, 0.0));
      svg.rectangle({x, top}, bar * 0.92, end - top, series_colour(series));
      if (bar >= text_width(short_text(value), 11))
        svg.text({x + bar * 0.46, value < 0 ? end + 13 : top - 4}, short_text(value),
                 {Svg::Anchor::middle, 11});
    }
  draw_places(p, f, f.left + slot / 2, slot, svg);
}

void draw_lines(const Picture& p, const Frame& f, Svg& svg) {
  const double steps = std::max<double>(1, static_cast<double>(p.values.columns - 1));
  const double distance = f.plot_width() / steps;
  for (int64_t series = 0; series < p.values.rows; ++series) {
    std::string points;
    for (int64_t j = 0; j < p.values.columns; ++j)
      points += svg_number(f.left + distance * static_cast<double>(j)) + ',' +
                svg_number(f.y(p.values.at(series, j))) + ' ';
    svg.curve(points, series_colour(series));
  }
  draw_places(p, f, f.left, distance, svg);
}

constexpr double kLegendLine = 20;

// How many names stand beside each other: as many as have room.
int64_t names_in_line(const Picture& p, const Frame& f) {
  size_t widest = 1;
  for (const std::string& name : p.rows) widest = std::max(widest, display_width(name));
  const auto most =
      static_cast<int64_t>(f.plot_width() / (34 + 0.6 * 12 * static_cast<double>(widest)));
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
    const double x = f.left + distance * static_cast<double>(series % across);
    const double y =
        kTop + kPlotHeight + f.bottom + 14 + kLegendLine * static_cast<double>(series / across);
    svg.rectangle({x, y - 9}, 18, 9, series_colour(series));
    svg.text({x + 24, y}, p.rows[static_cast<size_t>(series)], {Svg::Anchor::start, 12});
  }
}

}  // namespace

Panel chart_panel(const Picture& picture, double width) {
  const Frame frame = frame_of(picture, width);
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
  double right = frame.left + text_width(picture.title, 16, true) + 8;
  if (picture.values.rows > 1)
    for (const std::string& name : picture.rows)
      right = std::max(right, frame.left + 32 + text_width(name, 12));
  return {std::max(width, right), kTop + kPlotHeight + frame.bottom + legend_height(picture, frame),
          svg.body(), Point{bars ? frame.left : frame.left - distance / 2, kTop},
          Point{distance, 0}};
}

}  // namespace jogak
