#include "data/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "base/file.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace jogak {
namespace {

class TableReader {
 public:
  TableReader(std::string path, const TableOptions& options,
              const std::function<void(const TableRow&)>& take)
      : path_(std::move(path)), options_(options), take_(take) {}

  void feed(std::string_view text) {
    for (const char c : text) {
      step(c);
      if (c == '\n' && !after_return_) ++line_;
      if (c == '\r') ++line_;
      after_return_ = c == '\r';
    }
  }

  void finish() {
    ensure<FormatError>(state_ != State::quoted, path_, ": line ", quote_line_,
                        ": found a quote that is never closed, wanted another one behind it");
    if (started_) end_row();
  }

 private:
  enum class State : uint8_t { begin, plain, quoted, closed };

  void step(char c) {
    if (state_ == State::quoted) {
      if (c == '"')
        state_ = State::closed;
      else
        add(c);
      return;
    }
    if (c == '\n' && after_return_) return;  // the second half of a line end
    if (c == '\n' || c == '\r') {
      if (started_) end_row();
      return;
    }
    if (!started_) row_.line = line_;
    started_ = true;
    if (c == options_.separator) return end_cell();
    if (c == '"' && options_.quotes && state_ == State::begin) {
      state_ = State::quoted;
      quote_line_ = line_;
      return;
    }
    if (state_ == State::closed) {
      ensure<FormatError>(c == '"', path_, ": line ", line_, ": found ", json_like(c),
                          " behind a closing quote, wanted a separator or the end of the row");
      state_ = State::quoted;  // "" within quotes is a quote
      return add(c);
    }
    state_ = State::plain;
    add(c);
  }

  static std::string json_like(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 0x20 && code < 0x7F ? std::string("'") + c + "'" : text_of("byte ", int{code});
  }

  void add(char c) {
    cell_ += c;
    ensure<FormatError>(cell_.size() <= kLongestCell, path_, ": line ", row_.line,
                        ": found a cell of more than ", kLongestCell,
                        " bytes, wanted shorter ones");
  }

  void end_cell() {
    check_text();
    row_.cells.push_back(std::move(cell_));
    cell_.clear();
    state_ = State::begin;
    ensure<FormatError>(row_.cells.size() <= kMostColumns, path_, ": line ", row_.line,
                        ": found more than ", kMostColumns, " columns, wanted fewer");
  }

  void check_text() {
    if (first_cell_) {
      ensure<FormatError>(!cell_.starts_with("\xFF\xFE") && !cell_.starts_with("\xFE\xFF"), path_,
                          ": byte 0: found the byte order mark of UTF-16, wanted UTF-8 text");
      first_cell_ = false;
    }
    const size_t bad = std::min(utf8::first_invalid(cell_), cell_.find('\0'));
    ensure<FormatError>(bad == std::string::npos, path_, ": line ", row_.line, " column ",
                        row_.cells.size() + 1, " byte ", bad,
                        bad < cell_.size() && cell_[bad] == '\0'
                            ? ": found a zero byte, wanted UTF-8 text"
                            : ": found a byte that is not UTF-8, wanted UTF-8 text");
  }

  void end_row() {
    end_cell();
    started_ = false;
    if (wanted_ == 0) wanted_ = row_.cells.size();
    ensure<FormatError>(row_.cells.size() == wanted_, path_, ": line ", row_.line, ": found ",
                        row_.cells.size(), " cells, wanted ", wanted_, " as in the first row");
    take_(row_);
    row_.cells.clear();
  }

  std::string path_;
  const TableOptions& options_;
  const std::function<void(const TableRow&)>& take_;
  State state_ = State::begin;
  bool started_ = false;  // the row has a character
  bool after_return_ = false, first_cell_ = true;
  int64_t line_ = 1, quote_line_ = 1;
  std::string cell_;
  TableRow row_;
  size_t wanted_ = 0;  // cells of the first row
};

// Leaves out a UTF-8 byte order mark, however the pieces are cut.
class WithoutMark {
 public:
  explicit WithoutMark(TableReader& reader) : reader_(reader) {}
  void feed(std::string_view text) {
    if (done_) return reader_.feed(text);
    head_ += text;
    if (head_.size() >= 3) flush();
  }
  void flush() {
    if (done_) return;
    done_ = true;
    const std::string_view head = head_;
    reader_.feed(head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head);
  }

 private:
  TableReader& reader_;
  std::string head_;
  bool done_ = false;
};

}  // namespace

void read_table(const std::string& file, const TableOptions& options,
                const std::function<void(const TableRow&)>& take) {
  const std::string path = find_data(file, options.where_to_get);
  TableReader reader(path, options, take);
  WithoutMark front(reader);
  read_text_file_in_pieces(path, [&](std::string_view text) { front.feed(text); });
  front.flush();
  reader.finish();
}

void parse_table(std::string_view text, const std::string& name, const TableOptions& options,
                 const std::function<void(const TableRow&)>& take) {
  TableReader reader(name, options, take);
  WithoutMark front(reader);
  front.feed(text);
  front.flush();
  reader.finish();
}

std::string plain_ending(const std::string& file) {
  std::string name = file_name(file);
  for (const char* packed : {".gz", ".zst"})
    if (name.ends_with(packed)) name.erase(name.rfind('.'));
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot);
}

TableOptions table_options_for(const std::string& file) {
  const std::string ending = plain_ending(file);
  if (ending == ".tsv" || ending == ".txt") return {.separator = '\t', .quotes = false};
  ensure<UsageError>(ending == ".csv", file, ": wanted a name that ends with .csv, .tsv or .txt");
  return {};
}

Columns::Columns(const std::vector<std::string>& names, const std::string& file)
    : names_(names), file_(file) {
  std::unordered_set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      fail<FormatError>(file, ": line 1: found column ", shown_cell(name),
                        " twice, wanted names that differ");
}

bool Columns::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

size_t Columns::at(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<size_t>(found - names_.begin());
  std::vector<std::string> names;  // without quotes
  for (const std::string& one : names_) {
    const std::string shown = shown_cell(one);
    names.push_back(shown.substr(1, shown.size() - 2));
  }
  std::string list;
  for (size_t i = 0; i < std::min<size_t>(names.size(), 12); ++i)
    list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > 12) list += ", ..";
  fail<MissingError>(file_, ": line 1: no column ", shown_cell(name), "; there are ", list,
                     did_you_mean(name, names));
}

std::string shown_cell(const std::string& cell) {
  constexpr size_t kMost = 40;
  if (cell.size() <= kMost) return json_quote(cell);
  return json_quote(cell.substr(0, utf8::whole_prefix(cell.substr(0, kMost))) + "..");
}

double cell_number(const TableRow& row, size_t column, const std::string& file,
                   const std::string& name) {
  std::string_view text = row.cells[column];
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size() &&
                    std::isfinite(value) && !text.empty();
  if (good) return value;
  const std::string& cell = row.cells[column];
  fail<FormatError>(file, ": line ", row.line, " column ", shown_cell(name), ": found ",
                    cell.empty() ? "nothing" : shown_cell(cell), ", wanted a finite number");
}

}  // namespace jogak
