#include "tests/explain/printed.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace jogak::test {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

double half_unit_of(const std::string& number) {
  const size_t e = number.find('e'), point = number.find('.');
  const size_t end = e == std::string::npos ? number.size() : e;
  const int places = point == std::string::npos ? 0 : static_cast<int>(end - point - 1);
  const int exponent = e == std::string::npos ? 0 : std::atoi(number.c_str() + e + 1);
  return 0.5 * std::pow(10.0, exponent - places);
}

double number_of(const std::string& word) {
  if (word == "-∞") return -std::numeric_limits<double>::infinity();
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end) throw std::runtime_error("not a number: '" + word + "'");
  return value;
}

class Reader {
 public:
  explicit Reader(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  Printed table(const Table& wanted) {
    const std::string head = "   " + wanted.caption + "  [";
    while (at_ < lines_.size() && lines_[at_].rfind(head, 0) != 0) ++at_;
    if (at_ == lines_.size()) throw std::runtime_error("no table " + wanted.name);
    ++at_;
    if (!wanted.columns.empty()) ++at_;  // the line of column labels
    Printed out{Matrix(wanted.values.rows, wanted.values.columns), {}};
    for (int64_t i = 0; i < out.values.rows; ++i) {
      if (at_ == lines_.size()) throw std::runtime_error("table cut short: " + wanted.name);
      const std::vector<std::string> words = words_of(lines_[at_++]);
      const auto columns = static_cast<size_t>(out.values.columns);
      const size_t labels =
          wanted.rows.empty() ? 0 : words_of(wanted.rows[static_cast<size_t>(i)]).size();
      if (words.size() != columns + labels)
        throw std::runtime_error("row of another length in " + wanted.name);
      for (size_t j = 0; j < columns; ++j) {
        out.values.at(i, static_cast<int64_t>(j)) = number_of(words[labels + j]);
        out.half_unit.push_back(half_unit_of(words[labels + j]));
      }
    }
    return out;
  }

 private:
  std::vector<std::string> lines_;
  size_t at_ = 0;
};

}  // namespace

std::map<std::string, Printed> read_printed(const Lesson& lesson, const std::string& text) {
  std::map<std::string, Printed> out;
  Reader reader(text);
  for (const Step& step : lesson.steps)
    for (const Table& table : step.tables)
      if (!out.emplace(table.name, reader.table(table)).second)
        throw std::runtime_error("two tables are called " + table.name);
  return out;
}

}  // namespace jogak::test
