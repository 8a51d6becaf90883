#include "data/make/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace jogak {
namespace {

struct Shape2d {
  int64_t kind;
  double x, y, radius, rotation, line;  // line: how thick, 0: filled
};

// How far a point is outside the shape; negative inside.
double distance(const Shape2d& s, double x, double y) {
  const double dx = x - s.x, dy = y - s.y;
  if (s.kind == 0) return std::hypot(dx, dy) - s.radius;
  // A polygon with 4 or 3 equal sides: the farthest of its sides decides.
  const int sides = s.kind == 1 ? 4 : 3;
  const double inner = s.radius * std::cos(std::numbers::pi / sides);
  double out = -s.radius;
  for (int i = 0; i < sides; ++i) {
    const double angle = s.rotation + 2 * std::numbers::pi * i / sides;
    out = std::max(out, dx * std::cos(angle) + dy * std::sin(angle) - inner);
  }
  return out;
}

// The share of a pixel that the shape covers, from its distance.
double cover(const Shape2d& s, double x, double y) {
  double d = distance(s, x, y);
  if (s.line > 0) d = std::abs(d + s.line / 2) - s.line / 2;
  return std::clamp(0.5 - d, 0.0, 1.0);
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"circle", "square", "triangle"};
  return names;
}

static std::string caption_of(bool large, bool drawn, int64_t kind) {
  return text_of("a ", large ? "large " : "small ", drawn ? "drawn " : "filled ",
                 shape_names()[static_cast<size_t>(kind)]);
}

std::vector<std::string> shape_captions() {
  std::vector<std::string> out;
  for (int64_t kind = 0; kind < std::ssize(shape_names()); ++kind)
    for (const bool large : {false, true})
      for (const bool drawn : {false, true}) out.push_back(caption_of(large, drawn, kind));
  return out;
}

ShapePicture make_shape(int64_t index, uint64_t seed, Split split) {
  ensure<UsageError>(index >= 0, "picture ", index, " asked for");
  Rng rng = rng_for(seed, split).split(static_cast<uint64_t>(index));
  ShapePicture out;
  out.label = index % static_cast<int64_t>(shape_names().size());
  constexpr double kSide = kShapeSide;
  Shape2d s{};
  s.kind = out.label;
  s.radius = 8 + 4 * rng.uniform();
  const double room = kSide - 2 * s.radius;
  s.x = s.radius + room * rng.uniform();
  s.y = s.radius + room * rng.uniform();
  s.rotation = std::numbers::pi / 2 + 0.5 * (rng.uniform() - 0.5);  // upright, a little askew
  s.line = rng.below(2) == 0 ? 0 : 2 + rng.uniform();
  constexpr double kLarge = 10;
  out.caption = caption_of(s.radius >= kLarge, s.line > 0, s.kind);
  const double ground = 20 + 40 * rng.uniform(), ink = 160 + 70 * rng.uniform();
  const double noise = 12 * rng.uniform();
  out.image = {kShapeSide, kShapeSide, 1, {}};
  for (int64_t y = 0; y < kShapeSide; ++y)
    for (int64_t x = 0; x < kShapeSide; ++x) {
      const double c = cover(s, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
      const double value = ground + (ink - ground) * c + noise * rng.normal();
      out.image.pixels.push_back(static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L)));
    }
  return out;
}

}  // namespace jogak
