// How a table follows from the ones before it, written once: "softmax(q @ k.T / sqrt(4))". The
// same rule gives the numbers, the sums worked by hand, the NumPy and PyTorch code, and what a
// test computes a second time.
//
// Names are tables and inputs; numbers, inf and pi; + - * / @ ** and .T; x[0:2, 1:3] (whole with
// ":"). One row, one column or one number is repeated to fit the other side. Functions: see
// rule_functions.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/matrix.h"

namespace jogak {

struct Rule {
  enum class Kind : uint8_t { number, name, minus, binary, transpose, slice, call };

  Kind kind = Kind::number;
  double number = 0;
  std::string name;             // of a table, a function, or "+", "-", "*", "/", "@", "**"
  std::vector<Rule> parts;      // operands or arguments
  std::vector<int64_t> ranges;  // slice: rows from, to, columns from, to; -1 is the end

  bool is(std::string_view function) const { return kind == Kind::call && name == function; }
};

using Values = std::map<std::string, Matrix>;

Rule parse_rule(std::string_view text);  // throws Error: a topic's own mistake
std::string rule_text(const Rule& rule);
Rule with_replaced(const Rule& rule, const std::map<std::string, Rule>& definitions);

Matrix evaluate(const Rule& rule, const Values& values);  // ShapeError where sizes do not fit

enum class Library : uint8_t { numpy, pytorch };
std::string python_text(const Rule& rule, Library library);

inline constexpr int64_t kTermsByHand = 8;  // more entries of a row are not worked by hand

// One entry by hand, as "2·1 + 1·0": `number` writes an entry of a named table. Empty when there is
// nothing to write (a hidden score) or too much.
using EntryText = std::function<std::string(const std::string& name, int64_t i, int64_t j)>;
std::optional<std::string> entry_text(const Rule& rule, int64_t i, int64_t j, const Values& values,
                                      const EntryText& number);

}  // namespace jogak
