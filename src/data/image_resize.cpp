// Pillow's resize: each output is a weighted sum of the inputs under a triangle around it; along
// one side, then along the other, in whole numbers with 22 bits behind the point.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/image.h"

namespace jogak {
namespace {

constexpr int kBits = 32 - 8 - 2;

struct Taps {                   // what one output is made from
  int64_t first = 0;            // input
  std::vector<int32_t> weight;  // of it and those behind it
};

std::vector<Taps> taps_of(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0), shrink = 1.0 / support;
  std::vector<Taps> out(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const auto last = std::min(static_cast<int64_t>(centre + support + 0.5), from);
    std::vector<double> weight;
    double sum = 0;
    for (int64_t x = first; x < last; ++x) {
      const double at = std::abs((static_cast<double>(x) - centre + 0.5) * shrink);
      weight.push_back(at < 1 ? 1 - at : 0);
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
                           int64_t inner, int64_t to) {
  const std::vector<Taps> taps = taps_of(axis, to);
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

Image resized(const Image& image, int64_t height, int64_t width) {
  ensure<UsageError>(height >= 1 && width >= 1 && height <= kMostSide && width <= kMostSide &&
                         height * width <= kMostPixels,
                     "an image of ", height, " x ", width, " asked for, wanted 1 to ", kMostPixels,
                     " pixels");
  Image out = image;
  const auto columns = [&] {
    out.pixels = along(out.pixels, 1, out.height, out.width * out.channels, height);
    out.height = height;
  };
  const bool columns_first = height < image.height && width >= image.width;  // less work
  if (columns_first) columns();
  if (width != out.width) {
    out.pixels = along(out.pixels, out.height, out.width, out.channels, width);
    out.width = width;
  }
  if (height != out.height) columns();
  return out;
}

}  // namespace jogak
