// Small matrices of doubles for worked examples, and how a user writes them: "1,0;0,1", or JSON
// [[1,0],[0,1]]. A vector is a matrix of one row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;  // row by row

  Matrix() = default;
  Matrix(int64_t row_count, int64_t column_count, double value = 0)
      : rows(row_count),
        columns(column_count),
        values(static_cast<size_t>(row_count * column_count), value) {}
  Matrix(std::initializer_list<std::initializer_list<double>> lines);
  static Matrix row_of(std::vector<double> entries);

  double& at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  double at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
  std::span<const double> row(int64_t i) const {
    return {values.data() + i * columns, static_cast<size_t>(columns)};
  }
  int64_t size() const { return rows * columns; }
  bool operator==(const Matrix&) const = default;
};

// What a worked example accepts: more would not be read by anyone.
inline constexpr int64_t kMaxRows = 64, kMaxColumns = 256;
inline constexpr double kLargestEntry = 1e6;

// Rows end with ';' or a new line; numbers are parted by commas or spaces. `name` is what errors
// call the matrix. Throws UsageError: "q: row 2: found 3 numbers, wanted 4 as in row 1".
Matrix parse_matrix(std::string_view text, const std::string& name);

// Entries finite and not above kLargestEntry, sizes within the limits; UsageError otherwise.
void check_matrix(const Matrix& matrix, const std::string& name);

Matrix transposed(const Matrix& a);

std::string shape_text(const Matrix& matrix);  // "[3,4]"; one row alone is a vector: "[4]"

}  // namespace jogak
