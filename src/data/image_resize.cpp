// Pillow's resize: each output is a weighted sum of the inputs under a curve around it; along one
// side, then along the other, in whole numbers with 22 bits behind the point.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "data/image.h"

namespace jogak {
namespace {

constexpr int kBits = 32 - 8 - 2;

struct Taps {                   // what one output is made from
  int64_t first = 0;            // input
  std::vector<int32_t> weight;  // of it and those behind it
};

double reach_of(ImageFilter filter) {
  return filter == ImageFilter::lanczos ? 3 : filter == ImageFilter::bicubic ? 2 : 1;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(x * std::numbers::pi) / (x * std::numbers::pi);
}

// The curve at a distance from the centre, in pixels of the smaller image.
double weight_at(ImageFilter filter, double x) {
  x = std::abs(x);
  if (x >= reach_of(filter)) return 0;
  if (filter == ImageFilter::lanczos) return sinc(x) * sinc(x / 3);
  if (filter == ImageFilter::bilinear) return 1 - x;
  constexpr double a = -0.5;
  return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : (((x - 5) * x + 8) * x - 4) * a;
}

std::vector<Taps> taps_of(int64_t from, int64_t to, ImageFilter filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double shrink = 1.0 / std::max(scale, 1.0);
  const double support = reach_of(filter) * std::max(scale, 1.0);
  std::vector<Taps> out(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const auto last = std::min(static_cast<int64_t>(centre + support + 0.5), from);
    std::vector<double> weight;
    double sum = 0;
    for (int64_t x = first; x < last; ++x) {
      weight.push_back(weight_at(filter, (static_cast<double>(x) - centre + 0.5) * shrink));
      sum += weight.back();
    }
    Taps& taps = out[static_cast<size_t>(i)];
    taps.first = first;
    for (const double w : weight) {
      const double whole = (sum != 0 ? w / sum : w) * (1 << kBits);
      taps.weight.push_back(static_cast<int32_t>(whole < 0 ? whole - 0.5 : whole + 0.5));
    }
  }
  return out;
}

uint8_t rounded(int64_t sum) {
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kBits, 0, 255));
}

// Along one axis of [outer, axis, inner].
std::vector<uint8_t> along(const std::vector<uint8_t>& in, int64_t outer, int64_t axis,
                           int64_t inner, int64_t to, ImageFilter filter) {
  const std::vector<Taps> taps = taps_of(axis, to, filter);
  std::vector<uint8_t> out(static_cast<size_t>(outer * to * inner));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < to; ++i) {
      const Taps& t = taps[static_cast<size_t>(i)];
      const uint8_t* from = in.data() + (o * axis + t.first) * inner;
      uint8_t* into = out.data() + (o * to + i) * inner;
      for (int64_t k = 0; k < inner; ++k) {
        int64_t sum = int64_t{1} << (kBits - 1);
        for (size_t x = 0; x < t.weight.size(); ++x)
          sum += int64_t{t.weight[x]} * from[static_cast<int64_t>(x) * inner + k];
        into[k] = rounded(sum);
      }
    }
  return out;
}

}  // namespace

Image resized(const Image& image, int64_t height, int64_t width, ImageFilter filter) {
  ensure<UsageError>(height >= 1 && width >= 1 && height <= kMostSide && width <= kMostSide &&
                         height * width <= kMostPixels,
                     "an image of ", height, " x ", width, " asked for, wanted 1 to ", kMostPixels,
                     " pixels");
  Image out = image;
  const auto columns = [&] {
    out.pixels = along(out.pixels, 1, out.height, out.width * out.channels, height, filter);
    out.height = height;
  };
  // Pillow's rule, by what each side loses: with few rows left, making them narrower is less work.
  const int64_t rows_lost = image.height - height, columns_lost = image.width - width;
  const bool columns_first = rows_lost > 0 && rows_lost > 2 * columns_lost;
  if (columns_first) columns();
  if (width != out.width) {
    out.pixels = along(out.pixels, out.height, out.width, out.channels, width, filter);
    out.width = width;
  }
  if (height != out.height) columns();
  return out;
}

Image cropped(const Image& image, int64_t height, int64_t width) {
  const auto before = [](int64_t from, int64_t to) {  // rounded down, also below 0
    return from >= to ? (from - to) / 2 : -((to - from + 1) / 2);
  };
  const int64_t top = before(image.height, height), left = before(image.width, width);
  Image out{height, width, image.channels, {}};
  out.pixels.resize(static_cast<size_t>(height * width * image.channels));
  const int64_t first = std::max<int64_t>(0, -left),
                last = std::min(width, image.width - left);  // columns that are there
  for (int64_t y = std::max<int64_t>(0, -top); y < std::min(height, image.height - top); ++y)
    std::copy_n(image.pixels.begin() + ((y + top) * image.width + first + left) * image.channels,
                std::max<int64_t>(0, last - first) * image.channels,
                out.pixels.begin() + (y * width + first) * image.channels);
  return out;
}

}  // namespace jogak
