#include "draw/matrix.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "base/terminal.h"

namespace jogak {
namespace {

constexpr size_t kLongestText = size_t{1} << 20;
constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

struct Place {
  const std::string& name;
  int64_t row, column;  // from 1
};

[[noreturn]] void wrong(const Place& at, const std::string& found, std::string_view wanted) {
  fail<UsageError>(at.name, ": row ", at.row, ", column ", at.column, ": found ", found,
                   ", wanted ", wanted);
}

double parse_entry(std::string_view token, const Place& at) {
  if (token.starts_with('+')) token.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(token.begin(), token.end(), value);
  if (error == std::errc::result_out_of_range) wrong(at, quoted(token), "a number double can hold");
  if (error != std::errc() || end != token.end()) wrong(at, quoted(token), "a number");
  if (!std::isfinite(value)) wrong(at, quoted(token), "a finite number");
  return value;
}

// Collects rows and holds them to the first row's length and to the limits while reading.
class Collector {
 public:
  explicit Collector(const std::string& name) : name_(name) {}

  Place place() const { return {name_, rows_ + 1, in_row_ + 1}; }

  void add(double value) {
    if (in_row_ == kMaxColumns)
      fail<UsageError>(name_, ": row ", rows_ + 1, ": found more than ", kMaxColumns,
                       " numbers, wanted at most ", kMaxColumns);
    values_.push_back(value);
    ++in_row_;
  }

  void end_row() {
    if (rows_ == kMaxRows)
      fail<UsageError>(name_, ": found more than ", kMaxRows, " rows, wanted at most ", kMaxRows);
    if (in_row_ == 0)
      fail<UsageError>(name_, ": row ", rows_ + 1, ": found no numbers, wanted some");
    if (rows_ == 0) columns_ = in_row_;
    if (in_row_ != columns_)
      fail<UsageError>(name_, ": row ", rows_ + 1, ": found ", in_row_,
                       in_row_ == 1 ? " number" : " numbers", ", wanted ", columns_,
                       " as in row 1");
    ++rows_;
    in_row_ = 0;
  }

  Matrix done() {
    Matrix out;
    out.rows = rows_;
    out.columns = columns_;
    out.values = std::move(values_);
    check_matrix(out, name_);
    return out;
  }

 private:
  const std::string& name_;
  std::vector<double> values_;
  int64_t rows_ = 0, columns_ = 0, in_row_ = 0;
};

void parse_row(std::string_view line, Collector& out) {
  while (true) {
    const size_t comma = line.find(',');
    std::string_view cell = trimmed(line.substr(0, comma));
    if (cell.empty()) wrong(out.place(), "nothing", "a number");
    while (!cell.empty()) {  // "1 2 3" is three numbers
      const size_t end = std::min(cell.find_first_of(kSpace), cell.size());
      out.add(parse_entry(cell.substr(0, end), out.place()));
      cell = trimmed(cell.substr(end));
    }
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  out.end_row();
}

Matrix parse_plain(std::string_view text, const std::string& name) {
  Collector out(name);
  while (!text.empty()) {
    const size_t end = text.find_first_of(";\n");
    const std::string_view line = trimmed(text.substr(0, end));
    const bool more = end != std::string_view::npos;
    const bool line_break = more && text[end] == '\n';
    text.remove_prefix(more ? end + 1 : text.size());
    // An empty line and a closing ';' end nothing; ";;" is a row without numbers.
    if (line.empty() && (line_break || !more)) continue;
    if (line.empty()) out.end_row();
    parse_row(line, out);
  }
  return out.done();
}

Json parse_as_usage(std::string_view text, const std::string& name) {
  try {
    return parse_json(text, name);
  } catch (const FormatError& error) {
    throw UsageError(error.what());  // typed by the user, not read from a file
  }
}

void add_json_row(const Json& row, Collector& out) {
  for (const Json& entry : row.items()) {
    if (!entry.is_number()) wrong(out.place(), entry.kind_name(), "a number");
    out.add(entry.number());
  }
  out.end_row();
}

Matrix parse_json_matrix(std::string_view text, const std::string& name) {
  const Json json = parse_as_usage(text, name);
  Collector out(name);
  const bool flat = !json.items().empty() && !json.items().front().is_array();
  if (flat) add_json_row(json, out);
  for (const Json& row : flat ? std::vector<Json>{} : json.items()) {
    if (!row.is_array())
      fail<UsageError>(name, ": byte ", row.offset(), ": found ", row.kind_name(),
                       ", wanted a row such as [1,0]");
    add_json_row(row, out);
  }
  return out.done();
}

}  // namespace

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> lines)
    : rows(static_cast<int64_t>(lines.size())),
      columns(lines.size() ? static_cast<int64_t>(lines.begin()->size()) : 0) {
  for (const auto& line : lines) values.insert(values.end(), line);
}

Matrix Matrix::row_of(std::vector<double> entries) {
  Matrix out;
  out.rows = 1;
  out.columns = static_cast<int64_t>(entries.size());
  out.values = std::move(entries);
  return out;
}

Matrix parse_matrix(std::string_view text, const std::string& name) {
  if (text.size() > kLongestText)
    fail<UsageError>(name, ": found ", text.size(), " bytes, wanted at most ", kLongestText);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    fail<UsageError>(name, ": found nothing, wanted a matrix such as \"1,0;0,1\"");
  return text[first] == '[' ? parse_json_matrix(text, name) : parse_plain(text, name);
}

void check_matrix(const Matrix& m, const std::string& name) {
  const bool sound = m.rows > 0 && m.columns > 0 && m.rows <= kMaxRows &&
                     m.columns <= kMaxColumns && m.values.size() == static_cast<size_t>(m.size());
  if (!sound)
    fail<UsageError>(name, ": found ", m.rows, " rows of ", m.columns, " numbers, wanted 1 to ",
                     kMaxRows, " rows of 1 to ", kMaxColumns);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j) {
      const Place at{name, i + 1, j + 1};
      if (!std::isfinite(m.at(i, j))) wrong(at, text_of(m.at(i, j)), "a finite number");
      if (std::abs(m.at(i, j)) > kLargestEntry)
        wrong(at, text_of(m.at(i, j)), "a number from -1000000 to 1000000");
    }
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(j, i) = a.at(i, j);
  return out;
}

std::string shape_text(const Matrix& m) {
  return m.rows == 1 ? text_of("[", m.columns, "]") : text_of("[", m.rows, ",", m.columns, "]");
}

}  // namespace jogak
