#include "draw/picture_text.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/terminal.h"
#include "draw/colour.h"
#include "draw/numbers.h"

namespace jogak {
namespace {

constexpr size_t kIndent = 3;

size_t widest(const std::vector<std::string>& words) {
  size_t out = 0;
  for (const std::string& word : words) out = std::max(out, display_width(word));
  return out;
}

std::string label_of(const std::vector<std::string>& words, int64_t i, size_t width) {
  return pad_left(words.empty() ? "" : words[static_cast<size_t>(i)], width);
}

// Every `step`-th index, so that at most `room` are left.
std::vector<int64_t> sampled(int64_t count, int64_t room) {
  const int64_t step = std::max<int64_t>(1, (count + room - 1) / std::max<int64_t>(room, 1));
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; i += step) out.push_back(i);
  return out;
}

// " (0, 8, 16, …)" when some were left out, by their labels.
std::string every(const std::vector<int64_t>& chosen, const std::vector<std::string>& labels) {
  if (chosen.size() < 3 || chosen[1] == 1) return "";
  std::string out = " (";
  for (size_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(chosen[i]);
    out += (labels.empty() ? std::to_string(at) : labels[at]) + ", ";
  }
  return out + "…)";
}

std::string heatmap_text(const Picture& p, bool colour, size_t columns) {
  const size_t label_width = widest(p.rows);
  const size_t room = columns - std::min(columns - 8, kIndent + label_width + 1);
  const auto across = sampled(p.values.columns, static_cast<int64_t>(room));
  const auto down = sampled(p.values.rows, 40);
  const size_t cell = std::clamp<size_t>(room / across.size(), 1, 4);
  std::string out;
  for (const int64_t i : down) {
    out += std::string(kIndent, ' ') + label_of(p.rows, i, label_width) + ' ';
    for (const int64_t j : across)
      out += shaded(share_of_range(p.values.at(i, j), p.low, p.high), p.diverging, colour, cell);
    out += '\n';
  }
  const std::string margin(kIndent, ' ');
  out += margin + text_of(p.y_title, " ↓", every(down, p.rows), "  ", p.x_title, " →",
                          every(across, p.columns));
  out += '\n' + margin;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
    out += shaded(share, p.diverging, colour, 2) + ' ' +
           scale_text(p.low + share * (p.high - p.low)) + "  ";
  while (out.ends_with(' ')) out.pop_back();
  return out + '\n';
}

std::string bars_text(const Picture& p, size_t columns) {
  const size_t label_width = std::max(widest(p.columns), widest(p.rows));
  const size_t room = columns - std::min(columns - 10, kIndent + label_width + 14);
  double size = 0;
  for (const double x : p.values.values) size = std::max(size, std::abs(x));
  std::string out;
  for (int64_t series = 0; series < p.values.rows; ++series) {
    if (p.values.rows > 1)
      out += std::string(kIndent, ' ') + p.rows[static_cast<size_t>(series)] + '\n';
    for (int64_t j = 0; j < p.values.columns; ++j) {
      const double x = p.values.at(series, j);
      const auto length =
          size > 0 ? static_cast<size_t>(std::lround(std::abs(x) / size * double(room))) : 0;
      out += std::string(kIndent, ' ') + label_of(p.columns, j, label_width) + ' ';
      for (size_t i = 0; i < length; ++i) out += x < 0 ? "▒" : "█";
      out += (length ? " " : "") + fixed_text(x) + '\n';
    }
  }
  return out;
}

std::string lines_text(const Picture& p, size_t columns) {
  constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t label_width = widest(p.rows);
  const size_t room = columns - std::min(columns - 8, kIndent + label_width + 1);
  const auto across = sampled(p.values.columns, static_cast<int64_t>(room));
  std::string out;
  for (int64_t series = 0; series < p.values.rows; ++series) {
    out += std::string(kIndent, ' ') + pad_right(p.rows[static_cast<size_t>(series)], label_width);
    out += ' ';
    for (const int64_t j : across) {
      const double share = share_of_range(p.values.at(series, j), p.low, p.high);
      out += kHeights[std::lround(std::clamp(share, 0.0, 1.0) * 7)];
    }
    out += '\n';
  }
  return out + std::string(kIndent, ' ') + p.x_title + " →" + every(across, p.columns) + '\n';
}

}  // namespace

std::string shaded(double share, bool diverging, bool colour, size_t width) {
  if (colour) {
    const Rgb c = heat_colour(share, diverging);
    return text_of("\x1b[48;2;", int{c.red}, ";", int{c.green}, ";", int{c.blue}, "m",
                   std::string(width, ' '), "\x1b[0m");
  }
  constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
  const int level = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 4));
  std::string out;
  for (size_t i = 0; i < width; ++i) out += kShades[level];
  return out;
}

std::string picture_text(const Picture& picture, bool colour, int columns) {
  const auto width = static_cast<size_t>(std::max(columns, 40));
  std::string out = colour ? "\x1b[1m" + picture.title + "\x1b[0m\n" : picture.title + '\n';
  switch (picture.kind) {
    case Picture::Kind::heatmap: return out + heatmap_text(picture, colour, width);
    case Picture::Kind::bars: return out + bars_text(picture, width);
    case Picture::Kind::lines: return out + lines_text(picture, width);
    case Picture::Kind::diagram: return out + diagram_text(picture, width);
  }
  return out;
}

}  // namespace jogak
