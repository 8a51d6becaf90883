// Colours of heat maps, the same on the screen and in files.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace jogak {

struct Rgb {
  uint8_t red, green, blue;
};

namespace detail {

inline Rgb between(const Rgb* stops, int count, double t) {
  const double place = t * (count - 1);
  const int left = std::min(static_cast<int>(place), count - 2);
  const double part = place - left;
  const auto mix = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * part));
  };
  const Rgb &a = stops[left], &b = stops[left + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace detail

// `t` from 0 to 1. Diverging: blue, white in the middle, red. Otherwise: white to dark blue.
inline Rgb heat_colour(double t, bool diverging) {
  constexpr Rgb kDiverging[] = {
      {33, 82, 156}, {122, 171, 212}, {247, 247, 247}, {239, 154, 122}, {165, 25, 40}};
  constexpr Rgb kSequential[] = {{247, 251, 255}, {158, 202, 225}, {49, 130, 189}, {8, 48, 107}};
  t = std::isnan(t) ? 0.5 : std::clamp(t, 0.0, 1.0);
  return diverging ? detail::between(kDiverging, 5, t) : detail::between(kSequential, 4, t);
}

// Black or white, whichever can be read on this colour.
inline bool is_dark(Rgb c) { return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue < 140; }

// Where `value` lies between low and high; in the middle when there is no room between them.
inline double share_of_range(double value, double low, double high) {
  return high > low ? (value - low) / (high - low) : 0.5;
}

}  // namespace jogak
