#include "draw/marked_curves.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/terminal.h"

namespace jogak {
namespace {

constexpr double kWidth = 760, kLeft = 74, kRight = 24, kTop = 46, kPlot = 300, kLine = 20;
constexpr std::string_view kColours[] = {"#1f5fa8", "#d9480f", "#2b8a3e", "#862e9c",
                                         "#0b7285", "#c2255c", "#7a5c00", "#555555"};
constexpr std::string_view kForetold = "#222222";

struct Range {
  double low = INFINITY, high = -INFINITY;
  void take(double x) { low = std::min(low, x), high = std::max(high, x); }
};

struct Axes {
  Range x, y;  // x: of logarithms
  Point at(Point p) const {
    const double across = (std::log10(p.x) - x.low) / (x.high - x.low);
    const double up = (p.y - y.low) / (y.high - y.low);
    return {kLeft + (kWidth - kLeft - kRight) * across, kTop + kPlot * (1 - up)};
  }
};

Axes axes_of(const MarkedPlot& plot) {
  Axes out;
  const auto take = [&](const Point& p) { out.x.take(std::log10(p.x)), out.y.take(p.y); };
  for (const MarkedCurve& one : plot.curves)
    for (const auto* points : {&one.curve, &one.dots})
      for (const Point& p : *points) take(p);
  for (const Foretold& one : plot.foretold) {
    take({one.at.x, one.low}), take({one.at.x, one.high});
    for (const Point& p : one.measured) take(p);
  }
  for (const auto& [range, share] : {std::pair{&out.x, 0.03}, std::pair{&out.y, 0.06}}) {
    const double air = std::max((range->high - range->low) * share, 1e-6);
    range->low -= air, range->high += air;
  }
  return out;
}

void draw_axes(const MarkedPlot& plot, const Axes& axes, Svg& svg) {
  svg.text({kLeft, 26}, plot.title, {Svg::Anchor::start, 16, true});
  const double range = axes.y.high - axes.y.low;
  const int digits = static_cast<int>(std::clamp(2 - std::floor(std::log10(range)), 0.0, 9.0));
  for (int i = 0; i <= 4; ++i) {
    const double value = axes.y.low + range * i / 4, y = kTop + kPlot * (1 - i / 4.0);
    svg.line({kLeft, y}, {kWidth - kRight, y}, "#dddddd");
    svg.text({kLeft - 6, y + 4}, fixed(value, digits), {Svg::Anchor::end, 11});
  }
  const double below = kTop + kPlot;
  for (int power = static_cast<int>(std::floor(axes.x.low)); power <= axes.x.high; ++power)
    for (const double first : {1.0, 2.0, 5.0}) {
      const double value = first * std::pow(10.0, power);
      if (std::log10(value) < axes.x.low || std::log10(value) > axes.x.high) continue;
      const double x = axes.at({value, axes.y.low}).x;
      svg.line({x, below}, {x, below + 4}, "#555555");
      svg.text({x, below + 17}, format_count(std::llround(value)), {Svg::Anchor::middle, 11});
    }
  svg.text({kLeft + (kWidth - kLeft - kRight) / 2, below + 38}, plot.x_title,
           {Svg::Anchor::middle, 13});
  svg.text({18, centred(kTop + kPlot / 2, plot.y_title, 13, 34)}, plot.y_title,
           {Svg::Anchor::middle, 13, false, "#222222", 90});
}

// Twelve corners are round enough at this size.
std::string round_shape(Point middle, double radius) {
  constexpr double kPi = 3.14159265358979323846;
  std::string out = "M ";
  for (int i = 0; i < 12; ++i)
    out += svg_number(middle.x + radius * std::cos(kPi * i / 6)) + "," +
           svg_number(middle.y + radius * std::sin(kPi * i / 6)) + " ";
  return out + "Z";
}

void draw_dot(Point at, std::string_view colour, Svg& svg) {
  svg.shape(round_shape(at, 4), colour);
}

void draw_ring(Point at, std::string_view colour, Svg& svg) {
  svg.shape(round_shape(at, 7), colour);
  svg.shape(round_shape(at, 5), "#ffffff");
}

void draw_foretold(const Foretold& one, const Axes& axes, Svg& svg) {
  svg.line(axes.at({one.at.x, one.low}), axes.at({one.at.x, one.high}), kForetold, 2);
  draw_ring(axes.at(one.at), kForetold, svg);
  for (const Point& p : one.measured) draw_dot(axes.at(p), kForetold, svg);
}

double draw_legend(const MarkedPlot& plot, Svg& svg) {
  double y = kTop + kPlot + 66;
  const auto name = [&](const std::string& text) {
    svg.text({kLeft + 26, y}, text, {Svg::Anchor::start, 12});
    y += kLine;
  };
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    svg.rectangle({kLeft, y - 9}, 18, 9, kColours[i % std::size(kColours)]);
    name(plot.curves[i].name);
  }
  for (const Foretold& one : plot.foretold) {
    draw_ring({kLeft + 9, y - 5}, kForetold, svg);
    name(one.name);
    if (one.measured.empty()) continue;
    draw_dot({kLeft + 9, y - 5}, kForetold, svg);
    name(one.measured_name);
  }
  return y;
}

}  // namespace

std::string marked_curves_svg(const MarkedPlot& plot, Lang lang) {
  const Axes axes = axes_of(plot);
  Svg svg;
  draw_axes(plot, axes, svg);
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    const std::string_view colour = kColours[i % std::size(kColours)];
    std::string points;
    for (const Point& p : plot.curves[i].curve)
      points += svg_number(axes.at(p).x) + ',' + svg_number(axes.at(p).y) + ' ';
    svg.curve(points, colour);
    for (const Point& p : plot.curves[i].dots) draw_dot(axes.at(p), colour, svg);
  }
  for (const Foretold& one : plot.foretold) draw_foretold(one, axes, svg);
  const double height = draw_legend(plot, svg);
  return svg_file({.width = kWidth,
                   .height = height,
                   .lang = lang,
                   .title = plot.title,
                   .description = plot.description},
                  svg.body());
}

}  // namespace jogak
