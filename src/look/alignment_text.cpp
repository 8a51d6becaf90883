#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/format.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "draw/colour.h"
#include "draw/numbers.h"
#include "draw/picture_text.h"
#include "look/alignment_parts.h"

namespace jogak {
namespace {

using alignment::View;

constexpr size_t kWidestLabel = 16, kTallestHeader = 12, kSumWidth = 5, kNarrow = 2;

std::string shortened(const std::string& text, size_t columns) {
  if (display_width(text) <= columns) return text;
  return std::string(fit_columns(text, columns - 1)) + "…";
}

size_t widest(const std::vector<std::string>& texts) {
  size_t out = 1;
  for (const std::string& text : texts) out = std::max(out, display_width(text));
  return out;
}

// Characters with the marks that belong to them, at most kTallestHeader of them.
std::vector<std::string> stacked(const std::string& token) {
  std::vector<std::string> out;
  for (size_t at = 0; at < token.size();) {
    const size_t size = static_cast<size_t>(std::max(utf8::decode(token, at).size, 1));
    const std::string one = token.substr(at, size);
    if (display_width(one) == 0 && !out.empty())
      out.back() += one;
    else
      out.push_back(one);
    at += size;
  }
  if (out.size() <= kTallestHeader) return out;
  out.resize(kTallestHeader - 1);
  out.push_back("⋮");
  return out;
}

struct Layout {
  size_t label = 0;           // width of the target tokens
  std::vector<size_t> cells;  // width of each source token's column
  bool upright = false;       // source tokens are written downwards
  size_t room = 0;            // for the cells of one part of the table
};

Layout lay_out(const View& view, size_t columns) {
  Layout out;
  out.label = std::min(widest(view.target), kWidestLabel);
  const size_t taken = out.label + 1 + kSumWidth;
  out.room = columns > taken + kNarrow ? columns - taken : kNarrow;
  const bool characters = widest(view.source) <= kNarrow;
  size_t total = 0;
  for (const std::string& token : view.source) {
    const size_t width = std::min(display_width(token), kWidestLabel) + (characters ? 0 : 1);
    out.cells.push_back(std::max(width, kNarrow));
    total += out.cells.back();
  }
  out.upright = !characters && total > out.room;
  if (out.upright) std::fill(out.cells.begin(), out.cells.end(), kNarrow);
  return out;
}

// Where the parts of the table end: each takes as many columns as fit.
std::vector<size_t> part_ends(const Layout& layout) {
  std::vector<size_t> out;
  size_t used = 0;
  for (size_t j = 0; j < layout.cells.size(); ++j) {
    if (used > 0 && used + layout.cells[j] > layout.room) {
      out.push_back(j);
      used = 0;
    }
    used += layout.cells[j];
  }
  out.push_back(layout.cells.size());
  return out;
}

std::string header(const View& view, const Layout& layout, size_t begin, size_t end, bool sums) {
  std::vector<std::vector<std::string>> heads;
  size_t height = 1;
  for (size_t j = begin; j < end; ++j) {
    heads.push_back(layout.upright ? stacked(view.source[j])
                                   : std::vector{shortened(view.source[j], layout.cells[j])});
    height = std::max(height, heads.back().size());
  }
  std::string out;
  for (size_t line = 0; line < height; ++line) {
    out += std::string(layout.label + 1, ' ');
    for (size_t j = begin; j < end; ++j) {
      const std::vector<std::string>& head = heads[j - begin];
      const size_t blank = height - head.size();
      out += pad_right(line < blank ? "" : head[line - blank], layout.cells[j]);
    }
    const bool last = line + 1 == height && end == view.source.size();
    out += (last && sums ? pad_left("Σ", kSumWidth) : "") + "\n";
  }
  return out;
}

std::string scale(double high, bool colour, size_t margin, size_t columns) {
  std::string out(margin, ' ');
  const bool wide = margin + 5 * 9 <= columns;  // a step: two columns of colour and a number
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    if (!wide && share != 0.5 && share != 0 && share != 1) continue;
    const double value = share * high;
    out += shaded(share, false, colour, 2) + ' ';
    out += value > 0 && value < 0.1 ? scale_text(value) : plain_text(value, 2);
    if (share < 1) out += "  ";
  }
  return out + "\n";
}

}  // namespace

std::string alignment_text(const Alignment& a, bool colour, int columns, Lang lang) {
  const View view = alignment::view_of(a);
  const auto or_else = [&](const std::string& own, Words words) {
    return own.empty() ? std::string(words(lang)) : own;
  };
  std::string out = or_else(a.title, alignment::title());
  out = text_of(colour ? "\x1b[1m" + out + "\x1b[0m" : out, " (",
                or_else(a.source_title, alignment::source_words()), " →, ",
                or_else(a.target_title, alignment::target_words()), " ↓)\n");
  if (view.empty()) return out;
  const auto width = static_cast<size_t>(std::max(columns, 1));
  const Layout layout = lay_out(view, width);
  size_t begin = 0;
  for (const size_t end : part_ends(layout)) {
    if (begin > 0) out += "\n";
    out += header(view, layout, begin, end, a.sums);
    for (size_t i = 0; i < view.target.size(); ++i) {
      out += pad_left(shortened(view.target[i], layout.label), layout.label) + ' ';
      for (size_t j = begin; j < end; ++j) {
        const double weight = a.weights.at(static_cast<int64_t>(i), static_cast<int64_t>(j));
        out += shaded(share_of_range(weight, 0, view.high), false, colour, layout.cells[j]);
      }
      if (end == view.source.size() && a.sums) out += pad_left(fixed(view.sums[i], 2), kSumWidth);
      out += "\n";
    }
    begin = end;
  }
  return out + scale(view.high, colour, std::min<size_t>(layout.label, 4) + 1, width);
}

}  // namespace jogak
