#include <algorithm>

#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/picture_text.h"
#include "explain/explain.h"

namespace jogak {
namespace {

constexpr Words kFormula{"식", "formula"}, kShape{"모양", "shape"}, kByHand{"손으로", "by hand"};
constexpr Words kColumnsFrom{"열", "columns"};
constexpr size_t kIndent = 3, kGap = 2;

struct Page {
  std::string text;
  bool colour;
  size_t columns;
  Lang lang;

  std::string painted(std::string_view words, std::string_view code) const {
    if (!colour || words.empty()) return std::string(words);
    return text_of("\x1b[", code, "m", words, "\x1b[0m");
  }
  void line(std::string_view words = {}) {
    if (!words.empty()) text.append(kIndent, ' ').append(words);
    text += '\n';
  }
};

// Breaks at spaces so that no line is wider than `columns` (a single longer word stays whole).
std::vector<std::string> wrapped(std::string_view words, size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    const bool fits = display_width(line) + 1 + display_width(word) <= columns;
    if (!line.empty() && !fits) lines.push_back(std::exchange(line, ""));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

void add_labelled(Page& page, const Words& label, std::string_view words, std::string_view code) {
  if (words.empty()) return;
  const size_t width =
      std::max(display_width(kFormula(page.lang)),
               std::max(display_width(kShape(page.lang)), display_width(kByHand(page.lang))));
  bool first = true;
  for (const std::string& part : wrapped(words, page.columns - kIndent - width - kGap)) {
    const std::string head = pad_right(first ? label(page.lang) : "", width + kGap);
    page.line(page.painted(head, "2") + page.painted(part, code));
    first = false;
  }
}

struct Block {
  int64_t first, last;  // columns of the table
};

// A table wider than the page is cut into blocks of columns, one under the other.
std::vector<Block> blocks_of(const std::vector<size_t>& widths, size_t room) {
  std::vector<Block> out;
  size_t used = 0;
  for (int64_t j = 0; j < static_cast<int64_t>(widths.size()); ++j) {
    const size_t width = widths[static_cast<size_t>(j)] + kGap;
    if (out.empty() || used + width > room) {
      out.push_back({j, j});
      used = 0;
    }
    out.back().last = j;
    used += width;
  }
  return out;
}

std::string shape_of(const Table& table) {
  const bool number = table.values.size() == 1 && table.rows.empty() && table.columns.empty();
  return number ? "[]" : shape_text(table.values);
}

void add_table(Page& page, const Table& table) {
  const std::vector<std::string> cells = cell_texts(table.values, table.digits);
  const int64_t rows = table.values.rows, columns = table.values.columns;
  size_t label_width = 0;
  for (const std::string& label : table.rows)
    label_width = std::max(label_width, display_width(label));
  std::vector<size_t> widths(static_cast<size_t>(columns));
  for (int64_t j = 0; j < columns; ++j) {
    size_t& width = widths[static_cast<size_t>(j)];
    if (!table.columns.empty()) width = display_width(table.columns[static_cast<size_t>(j)]);
    for (int64_t i = 0; i < rows; ++i)
      width = std::max(width, display_width(cells[static_cast<size_t>(i * columns + j)]));
  }
  page.line();
  page.line(page.painted(table.caption, "1") + (table.caption.empty() ? "" : "  ") +
            page.painted(shape_of(table), "2"));
  const size_t room = page.columns - std::min(page.columns, kIndent + kGap + label_width);
  const std::vector<Block> blocks = blocks_of(widths, room);
  for (const Block& block : blocks) {
    if (blocks.size() > 1)
      page.line(page.painted(
          text_of(kColumnsFrom(page.lang), " ", block.first + 1, "-", block.last + 1), "2"));
    const auto add_line = [&](std::string_view label, auto cell) {
      std::string line(kGap, ' ');
      line += page.painted(pad_right(label, label_width), "2");
      for (int64_t j = block.first; j <= block.last; ++j)
        line += std::string(kGap, ' ') + cell(static_cast<size_t>(j));
      page.line(line);
    };
    if (!table.columns.empty())
      add_line("",
               [&](size_t j) { return page.painted(pad_left(table.columns[j], widths[j]), "2"); });
    for (int64_t i = 0; i < rows; ++i)
      add_line(table.rows.empty() ? "" : table.rows[static_cast<size_t>(i)], [&](size_t j) {
        return pad_left(cells[static_cast<size_t>(i * columns) + j], widths[j]);
      });
  }
}

void add_step_text(Page& page, const Step& step, size_t number) {
  page.text += '\n';
  page.text += page.painted(text_of(number, ". ", step.title), "1;36") + '\n';
  for (const std::string& line : wrapped(step.text, page.columns - kIndent)) page.line(line);
  add_labelled(page, kFormula, step.formula, "33");
  add_labelled(page, kShape, step.shape, "35");
  for (const Table& table : step.tables) add_table(page, table);
  if (!step.work.empty()) page.line();
  bool first = true;
  for (const std::string& work : step.work) {
    add_labelled(page, first ? kByHand : Words{"", ""}, work, "0");
    first = false;
  }
}

}  // namespace

std::string to_text(const Lesson& lesson, bool colour, int columns) {
  Page page{"", colour, static_cast<size_t>(std::clamp(columns, 40, 400)), lesson.lang};
  page.text += page.painted(lesson.title, "1") + '\n';
  size_t number = 1;
  for (const Step& step : lesson.steps) add_step_text(page, step, number++);
  for (const Picture& picture : lesson.pictures)
    page.text += '\n' + picture_text(picture, colour, static_cast<int>(page.columns));
  return page.text;
}

}  // namespace jogak
