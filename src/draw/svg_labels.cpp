// Room for texts: what is written is neither cut off nor touches its neighbour.
#include <algorithm>
#include <cmath>

#include "base/terminal.h"
#include "base/utf8.h"
#include "draw/svg.h"

namespace jogak {

constexpr size_t kLongestLabel = 16;  // letters

double text_width(std::string_view text, double size, bool bold) {
  const auto columns = static_cast<double>(display_width(text));
  double wide = 0;  // Hangul and the like: an em each
  for (size_t at = 0; at < text.size();) {
    const auto step = static_cast<size_t>(std::max(utf8::decode(text, at).size, 1));
    wide += display_width(text.substr(at, step)) == 2;
    at += step;
  }
  return (bold ? 1.07 : 1) * size * (wide + 0.6 * (columns - 2 * wide));
}

double centred(double middle, std::string_view title, double size, double from) {
  return std::max(middle, from + text_width(title, size) / 2);
}

std::string short_label(std::string_view label, size_t letters) {
  if (display_width(label) <= letters) return std::string(label);
  return std::string(fit_columns(label, letters - 1)) + "…";
}

AxisLabels axis_labels(const std::vector<std::string>& labels, double pitch) {
  constexpr double kAir = 5, kSlant = 0.71;
  AxisLabels out;
  const auto count = static_cast<int64_t>(labels.size());
  const auto widest = [&](double size) {
    double width = 0;
    for (const std::string& label : labels)
      width = std::max(width, text_width(short_label(label, kLongestLabel), size));
    return width;
  };
  const bool numbers = std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return label.find_first_not_of("0123456789.-") == std::string::npos;
  });
  if (widest(out.size) + kAir <= pitch || labels.empty()) return out;
  const bool all = count <= kAllLabels && !numbers;
  if (!all) {  // as many as have room, level where they are numbers
    const double room = numbers ? widest(out.size) + kAir + 4 : out.size + 3;
    const double length = pitch * static_cast<double>(count);
    out.stride = label_stride(count, std::max<int64_t>(1, static_cast<int64_t>(length / room)));
    if (numbers) return out;
    pitch *= static_cast<double>(out.stride);
  }
  out.turn = pitch * kSlant >= out.size + 2 ? 45 : 90;
  if (out.turn == 90) out.size = std::clamp(static_cast<int>(pitch - 1), 7, out.size);
  const double length = widest(out.size);
  out.height = 8 + (out.turn == 45 ? length * kSlant + out.size : length);
  out.reach = out.turn == 45 ? length * kSlant : 0;
  return out;
}

void draw_label(Svg& svg, Point place, std::string_view label, const AxisLabels& how) {
  const std::string text = short_label(label, kLongestLabel);
  if (how.turn == 0)
    return svg.text({place.x, place.y + 15}, text, {Svg::Anchor::middle, how.size});
  const double right = how.turn == 90 ? how.size * 0.36 : 4, down = how.turn == 90 ? 6 : 12;
  svg.text({place.x + right, place.y + down}, text,
           {Svg::Anchor::end, how.size, false, "#222222", how.turn});
}

}  // namespace jogak
