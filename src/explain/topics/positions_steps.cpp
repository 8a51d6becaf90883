#include "explain/topics/positions_steps.h"

#include <cmath>
#include <numbers>

#include "explain/arithmetic.h"
#include "explain/topics/positions_words.h"

namespace jogak {
namespace {

namespace words = positions_words;
using Numbers = PositionNumbers;

constexpr int kDigits = 7;  // PE(1, 2) of d = 4 is 0.0099998
constexpr double kFar = 100;

Table with_digits(Table table, int digits) {
  table.digits = digits;
  return table;
}

Matrix first_columns(const Matrix& m, int64_t count) {
  Matrix out(m.rows, count);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < count; ++j) out.at(i, j) = m.at(i, j);
  return out;
}

Parts pairs_by_hand(const Numbers& n) { return labels("i = ", n.shown / 2, 0); }
Parts rows_by_hand(const Numbers& n) { return labels("p = ", n.rows, 0); }

Table divisors_table(const Numbers& n) {
  Matrix values(1, n.shown / 2);
  for (int64_t i = 0; i < values.columns; ++i) values.at(0, i) = plain::position_divisor(i, n.d);
  return row_table("divisors", "10000^(2i/d)", values, pairs_by_hand(n));
}

Table angles_table(const Numbers& n) {
  Matrix values(n.rows, n.shown / 2);
  for (int64_t p = 0; p < n.rows; ++p)
    for (int64_t i = 0; i < values.columns; ++i)
      values.at(p, i) = static_cast<double>(p) / plain::position_divisor(i, n.d);
  return {"angles", "p / 10000^(2i/d)", values, rows_by_hand(n), pairs_by_hand(n), kDigits};
}

void add_divisors(Lesson& lesson, const Numbers& n) {
  Step& step = add_step(lesson, words::kDivisors, {std::to_string(n.d), std::to_string(n.d / 2)});
  step.shape = text_of("[", n.d / 2, "]");
  step.tables = {divisors_table(n)};
  const Matrix& values = step.tables[0].values;
  for (int64_t i = 0; i < std::min(values.columns, kLinesByHand); ++i)
    step.work.push_back(text_of("10000^(", 2 * i, "/", n.d, ") = ", plain_text(values.at(0, i))));
}

void add_encoding(Lesson& lesson, const Numbers& n) {
  Step& angles = add_step(lesson, words::kAngles);
  angles.shape = text_of("[", n.length, ",1] / [", n.d / 2, "] -> [", n.length, ",", n.d / 2, "]");
  angles.tables = {angles_table(n)};
  const Matrix angle = angles.tables[0].values;

  Step& encoding = add_step(lesson, words::kEncoding);
  encoding.shape = text_of("[", n.length, ",", n.d / 2, "] -> [", n.length, ",", n.d, "]");
  encoding.tables = {position_table(n)};
  const Matrix& pe = encoding.tables[0].values;
  for (int64_t i = 0; i < std::min(angle.columns, kLinesByHand / 2); ++i) {
    const std::string at = plain_text(angle.at(1, i), kDigits);
    const std::string sine = plain_text(pe.at(1, 2 * i), kDigits);
    const std::string cosine = plain_text(pe.at(1, 2 * i + 1), kDigits);
    encoding.work.push_back(text_of("PE(1,", 2 * i, ") = sin(", at, ") = ", sine));
    encoding.work.push_back(text_of("PE(1,", 2 * i + 1, ") = cos(", at, ") = ", cosine));
  }
}

Parts pair_labels(const Numbers& n) {
  Parts out;
  for (const int64_t i : n.pairs) out.push_back(text_of("i = ", i));
  return out;
}

void add_wavelengths(Lesson& lesson, const Numbers& n) {
  Step& step = add_step(lesson, words::kWavelengths, {std::to_string(n.wide)});
  Matrix values(static_cast<int64_t>(n.pairs.size()), 2);
  for (int64_t row = 0; row < values.rows; ++row) {
    const double divisor = plain::position_divisor(n.pairs[static_cast<size_t>(row)], n.wide);
    values.at(row, 0) = divisor;
    values.at(row, 1) = 2 * std::numbers::pi * divisor;
    if (row == 0 || row == values.rows - 1)
      step.work.push_back(
          text_of("2·π·", plain_text(divisor, 4), " = ", plain_text(values.at(row, 1), 4)));
  }
  step.shape = text_of("[", n.wide / 2, "]");
  const Parts columns = {std::string(words::kDivisor(lesson.lang)),
                         std::string(words::kWavelength(lesson.lang))};
  step.tables = {{"waves", text_of("d = ", n.wide), values, pair_labels(n), columns, 4}};
}

void add_moves(Lesson& lesson, const Numbers& n) {
  const std::string half = std::to_string(n.half);
  Step& step = add_step(lesson, words::kApart, {half});
  Matrix values(static_cast<int64_t>(n.pairs.size()), 2);
  for (int64_t row = 0; row < values.rows; ++row) {
    const double divisor = plain::position_divisor(n.pairs[static_cast<size_t>(row)], n.wide);
    values.at(row, 0) = 2 * std::abs(std::sin(1 / (2 * divisor)));
    values.at(row, 1) = 2 * std::abs(std::sin(static_cast<double>(n.half) / (2 * divisor)));
  }
  const Parts columns = {std::string(words::kNeighbours(lesson.lang)),
                         filled(words::kHalf(lesson.lang), {half})};
  step.tables = {{"moves", text_of("d = ", n.wide), values, pair_labels(n), columns}};
}

void add_dots(Lesson& lesson, const Numbers& n) {
  Step& step = add_step(lesson, words::kDots, {std::to_string(n.wide)});
  step.shape = text_of("[", n.wide, "]·[", n.wide, "] -> []");
  step.tables = {dots_table(n)};
}

}  // namespace

std::vector<double> counted(int64_t count) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<double>(i));
  return out;
}

Table position_table(const Numbers& n) {
  const Matrix values = plain::position_encoding(counted(n.rows), n.d);
  return {"pe",
          text_of("PE, d = ", n.d),
          first_columns(values, n.shown),
          rows_by_hand(n),
          labels("", n.shown, 0),
          kDigits};
}

Table dots_table(const Numbers& n) {
  Matrix dots(2, static_cast<int64_t>(n.distances.size()));
  Parts columns;
  for (int64_t j = 0; j < dots.columns; ++j) {
    const double k = n.distances[static_cast<size_t>(j)];
    dots.at(0, j) = plain::position_dot(0, k, n.wide);
    dots.at(1, j) = plain::position_dot(kFar, kFar + k, n.wide);
    columns.push_back(text_of("k = ", k));
  }
  return {"dots", text_of("PE(p)·PE(p+k), d = ", n.wide), dots, {"p = 0", "p = 100"}, columns, 3};
}

void add_position_steps(Lesson& lesson, const Numbers& n) {
  add_divisors(lesson, n);
  add_encoding(lesson, n);
  add_wavelengths(lesson, n);
  add_dots(lesson, n);
  add_moves(lesson, n);
}

void add_position_math(Lesson& lesson, const Numbers& n) {
  Matrix omega(1, n.shown / 2), rotation(n.shown, n.shown), derivative(1, n.shown);
  for (int64_t i = 0; i < omega.columns; ++i) {
    const double w = omega.at(0, i) = 1 / plain::position_divisor(i, n.d);
    const int64_t a = 2 * i, b = a + 1;
    rotation.at(a, a) = rotation.at(b, b) = std::cos(w);
    rotation.at(a, b) = std::sin(w);
    rotation.at(b, a) = -std::sin(w);
    derivative.at(0, a) = w * std::cos(w);
    derivative.at(0, b) = -w * std::sin(w);
  }
  const Parts columns = labels("", n.shown, 0);
  Step& definition = add_step(lesson, words::kDefinition);
  definition.shape = text_of("[", n.length, ",", n.d, "]");
  definition.tables = {divisors_table(n),
                       with_digits(row_table("omega", "ω", omega, pairs_by_hand(n)), kDigits),
                       angles_table(n), position_table(n)};

  const Matrix one = first_columns(plain::position_encoding({1}, n.d), n.shown);
  const Matrix turned_one = plain::product(one, transposed(rotation));  // R·PE as a row
  Step& turn = add_step(lesson, words::kRotation);
  turn.shape = text_of("[", n.shown, ",", n.shown, "]·[", n.shown, "] -> [", n.shown, "]");
  turn.tables = {
      {"rotation", "R(1)", rotation, {}, columns, kDigits},
      with_digits(row_table("rotated", "R(1)·PE(1) = PE(2)", turned_one, columns), kDigits)};
  add_dots(lesson, n);
  add_step(lesson, words::kDerivative).tables = {
      with_digits(row_table("derivative", "∂PE/∂p, p = 1", derivative, columns), kDigits)};
}

}  // namespace jogak
