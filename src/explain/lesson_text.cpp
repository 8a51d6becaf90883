#include <algorithm>
#include <span>

#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/picture_text.h"
#include "explain/explain.h"
#include "explain/parts.h"

namespace jogak {
namespace {

constexpr Words kFormula{"식", "formula"}, kShape{"모양", "shape"}, kByHand{"손으로", "by hand"};
constexpr Words kColumnsFrom{"열", "columns"};
constexpr size_t kIndent = 3, kGap = 2;

// How much of a lesson is printed, and what was left out.
struct Limits {
  static constexpr int64_t kAll = INT64_MAX;
  int64_t rows = kAll, blocks = kAll;      // of a table: rows, and blocks of columns
  int64_t tables = kAll, pictures = kAll;  // of a step; of the lesson
};
struct Left {
  int64_t rows = 0, columns = 0, tables = 0, pictures = 0;
};

struct Page {
  std::string text;
  bool colour;
  size_t columns;
  Lang lang;
  Limits limits = {};
  Left left = {};

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
  std::vector<Block> blocks = blocks_of(widths, room);
  if (static_cast<int64_t>(blocks.size()) > page.limits.blocks) {
    blocks.resize(static_cast<size_t>(page.limits.blocks));
    page.left.columns += columns - 1 - blocks.back().last;
  }
  const int64_t shown = std::min(rows, page.limits.rows);
  page.left.rows += rows - shown;
  for (const Block& block : blocks) {
    if (block.last - block.first + 1 < columns)
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
    for (int64_t i = 0; i < shown; ++i)
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
  const auto tables = static_cast<int64_t>(step.tables.size());
  for (int64_t i = 0; i < tables; ++i) {
    // What comes out of a step is its last table, what goes in its first.
    const bool shown = i >= tables - std::min<int64_t>(page.limits.tables, 1) ||
                       (i == 0 && page.limits.tables > 1) || page.limits.tables >= tables;
    if (shown)
      add_table(page, step.tables[static_cast<size_t>(i)]);
    else
      ++page.left.tables;
  }
  if (!step.code.empty()) page.line();
  for (const std::string& line : step.code) page.line(page.painted("  " + line, "32"));
  if (!step.work.empty()) page.line();
  bool first = true;
  for (const std::string& work : step.work) {
    add_labelled(page, first ? kByHand : Words{"", ""}, work, "0");
    first = false;
  }
}

// "3 tables and 40 rows are left out; --all shows them"; nothing when all is there.
std::string left_text(const Left& left, Lang lang) {
  const bool ko = lang == Lang::ko;
  Parts parts;
  const auto add = [&](int64_t count, const char* korean, const char* one, const char* several) {
    if (count == 0) return;
    parts.push_back(ko ? text_of(korean, " ", count, "개")
                       : text_of(count, " ", count == 1 ? one : several));
  };
  add(left.tables, "표", "table", "tables");
  add(left.rows, "행", "row", "rows");
  add(left.columns, "열", "column", "columns");
  add(left.pictures, "그림", "picture", "pictures");
  if (parts.empty()) return "";
  if (ko) return "줄인 것: " + joined(parts, ", ") + ". 모두 보려면 --all을 붙이십시오.";
  return "Left out: " + joined(parts, ", ") + ". --all shows everything.";
}

std::string written(const Lesson& lesson, Page page) {
  page.text += page.painted(lesson.title, "1") + '\n';
  size_t number = 1;
  for (const Step& step : lesson.steps) add_step_text(page, step, number++);
  for (const Picture& picture : lesson.pictures) {
    if (page.limits.pictures-- <= 0)
      ++page.left.pictures;
    else
      page.text += '\n' + picture_text(picture, page.colour, static_cast<int>(page.columns));
  }
  if (!lesson.studies.empty()) page.text += '\n';
  for (const std::string& recipe : lesson.studies)
    page.text +=
        page.painted(text_of(page.lang == Lang::ko ? "학습으로 해 보기:" : "To try it in training:",
                             "\n  jogak study ", recipe, "\n"),
                     "2");
  const std::string left = left_text(page.left, page.lang);
  if (!left.empty()) page.text += "\n" + page.painted(left, "2") + "\n";
  return page.text;
}

Page empty_page(const Lesson& lesson, bool colour, int columns) {
  return {"", colour, static_cast<size_t>(std::clamp(columns, 40, 400)), lesson.lang};
}

}  // namespace

std::string to_text(const Lesson& lesson, bool colour, int columns) {
  return written(lesson, empty_page(lesson, colour, columns));
}

std::string to_short_text(const Lesson& lesson, bool colour, int columns) {
  constexpr Limits kStory[] = {{.tables = 2},
                               {.tables = 1},
                               {.tables = 1, .pictures = 1},
                               {.tables = 0, .pictures = 1},
                               {.tables = 0, .pictures = 0}};
  constexpr Limits kLesson[] = {{},
                                {.rows = 32, .blocks = 4},
                                {.rows = 12, .blocks = 2},
                                {.rows = 6, .blocks = 1, .pictures = 2},
                                {.rows = 3, .blocks = 1, .pictures = 1},
                                {.rows = 1, .blocks = 1, .pictures = 0}};
  const bool story = lesson.level == Level::story;
  Page page = empty_page(lesson, colour, columns);
  std::string out;
  for (Limits limits : story ? std::span<const Limits>(kStory) : std::span<const Limits>(kLesson)) {
    if (story) limits.rows = 8, limits.blocks = 1;
    page.limits = limits;
    out = written(lesson, page);
    if (std::count(out.begin(), out.end(), '\n') <= (story ? kStoryLines : kLessonLines)) break;
  }
  return out;
}

}  // namespace jogak
