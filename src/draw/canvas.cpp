#include "draw/canvas.h"

#include <algorithm>
#include <cmath>

namespace jogak {
namespace {

// Distance of a point from a stroke.
double distance(const Stroke& s, double x, double y) {
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0, length = dx * dx + dy * dy;
  const double t =
      length > 0 ? std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

// Where a horizontal line at y is inside of the rings: begin and end by turns.
std::vector<double> crossings(const std::vector<std::vector<Point>>& rings, double y,
                              Canvas::Fill fill) {
  std::vector<std::pair<double, int>> edges;  // and whether the edge goes down or up
  for (const std::vector<Point>& ring : rings)
    for (size_t i = 0; i < ring.size(); ++i) {
      const Point a = ring[i], b = ring[(i + 1) % ring.size()];
      if ((a.y <= y) != (b.y <= y))
        edges.emplace_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x), a.y < b.y ? 1 : -1);
    }
  std::sort(edges.begin(), edges.end());
  std::vector<double> out;
  int turns = 0;
  for (const auto& [x, way] : edges) {
    const int before = turns;
    turns += fill == Canvas::Fill::winding ? way : turns == 0 ? 1 : -1;
    if (before == 0 || turns == 0) out.push_back(x);
  }
  return out;
}

}  // namespace

Canvas::Canvas(int64_t width, int64_t height)
    : raster_{height, width, std::vector<uint8_t>(static_cast<size_t>(height * width * 3), 255)} {}

void Canvas::blend(int64_t x, int64_t y, double share, Rgb colour) {
  if (x < 0 || y < 0 || x >= raster_.width || y >= raster_.height || share <= 0) return;
  uint8_t* const at = raster_.pixels.data() + (y * raster_.width + x) * 3;
  const uint8_t parts[] = {colour.red, colour.green, colour.blue};
  for (int c = 0; c < 3; ++c)
    at[c] = static_cast<uint8_t>(std::lround(at[c] + (parts[c] - at[c]) * std::min(share, 1.0)));
}

void Canvas::area(const std::vector<std::vector<Point>>& rings, Rgb colour, Fill fill) {
  constexpr int kLines = 4;  // of every row of points, whose shares are added up
  double low = 1e9, high = -1e9, left = 1e9, right = -1e9;
  for (const auto& ring : rings)
    for (const Point& p : ring) {
      low = std::min(low, p.y), high = std::max(high, p.y);
      left = std::min(left, p.x), right = std::max(right, p.x);
    }
  if (left > right) return;  // a space
  const auto inside = [](double v, int64_t size) {
    return std::clamp<int64_t>(static_cast<int64_t>(std::floor(v)), 0, size - 1);
  };
  const int64_t begin = inside(left, raster_.width), end = inside(right, raster_.width) + 1;
  std::vector<double> shares(static_cast<size_t>(end - begin));
  for (int64_t y = inside(low, raster_.height); y <= inside(high, raster_.height); ++y) {
    std::fill(shares.begin(), shares.end(), 0);
    for (int line = 0; line < kLines; ++line) {
      const auto edges = crossings(rings, static_cast<double>(y) + (line + 0.5) / kLines, fill);
      for (size_t i = 0; i + 1 < edges.size(); i += 2) {
        const double from = std::max(edges[i], 0.0);
        const double to = std::min(edges[i + 1], static_cast<double>(end));
        for (auto x = static_cast<int64_t>(from); static_cast<double>(x) < to; ++x)
          shares[static_cast<size_t>(x - begin)] +=
              (std::min(to, static_cast<double>(x + 1)) - std::max(from, static_cast<double>(x))) /
              kLines;
      }
    }
    for (int64_t x = begin; x < end; ++x)
      blend(x, y, shares[static_cast<size_t>(x - begin)], colour);
  }
}

void Canvas::strokes(const std::vector<Stroke>& lines, double width, Rgb colour) {
  if (lines.empty()) return;
  const double reach = width / 2 + 1;
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Stroke& s : lines) {
    left = std::min({left, s.x0, s.x1}), right = std::max({right, s.x0, s.x1});
    top = std::min({top, s.y0, s.y1}), bottom = std::max({bottom, s.y0, s.y1});
  }
  const auto first = [](double v) { return std::max<int64_t>(0, static_cast<int64_t>(v)); };
  const auto end_x = std::min(raster_.width, static_cast<int64_t>(right + reach) + 1);
  const auto end_y = std::min(raster_.height, static_cast<int64_t>(bottom + reach) + 1);
  for (int64_t y = first(top - reach); y < end_y; ++y)
    for (int64_t x = first(left - reach); x < end_x; ++x) {
      double nearest = reach;
      for (const Stroke& s : lines) {
        const bool dot = s.x0 == s.x1 && s.y0 == s.y1;  // drawn larger than a line is wide
        const double far = distance(s, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
        nearest = std::min(nearest, far - (dot ? width * 0.3 : 0));
      }
      blend(x, y, std::min(width, 1.0) * std::clamp(width / 2 + 0.5 - nearest, 0.0, 1.0), colour);
    }
}

}  // namespace jogak
