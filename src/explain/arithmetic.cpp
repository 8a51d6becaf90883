#include "explain/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jogak::plain {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

template <class F>
Matrix each(const Matrix& a, F f) {
  Matrix out = a;
  for (double& x : out.values) x = f(x);
  return out;
}

double row_maximum(const Matrix& a, int64_t i) {
  const auto row = a.row(i);
  return *std::max_element(row.begin(), row.end());
}

Matrix shifted(const Matrix& a, double amount) {
  return each(a, [&](double x) { return x + amount; });
}

Matrix exponentials(const Matrix& a) {
  return each(a, [](double x) { return std::exp(x); });
}

// A row of -infinity stays as it is.
Matrix minus_row_maximum(const Matrix& a) {
  Matrix out = a;
  for (int64_t i = 0; i < a.rows; ++i) {
    const double top = row_maximum(a, i);
    if (top == kMinusInfinity) continue;  // -infinity less itself would be NaN
    for (int64_t j = 0; j < a.columns; ++j) out.at(i, j) -= top;
  }
  return out;
}

// A row divided by 0 becomes 0.
Matrix divided_by_row(const Matrix& a, const Matrix& by) {
  Matrix out = a;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      out.at(i, j) = by.at(i, 0) == 0 ? 0 : a.at(i, j) / by.at(i, 0);
  return out;
}

double position_divisor(int64_t pair, int64_t d) {
  return std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(d));
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}

Matrix divided(const Matrix& a, double by) {
  return each(a, [&](double x) { return x / by; });
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out = a;
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= b.values[i];
  return out;
}

double sum(const Matrix& a) {
  double total = 0;
  for (const double x : a.values) total += x;
  return total;
}

double largest(const Matrix& a) { return *std::max_element(a.values.begin(), a.values.end()); }

Matrix row_sums(const Matrix& a) {
  Matrix out(a.rows, 1);
  for (int64_t i = 0; i < a.rows; ++i)
    for (const double x : a.row(i)) out.at(i, 0) += x;
  return out;
}

Matrix softmax(const Matrix& scores) {
  const Matrix e = exponentials(minus_row_maximum(scores));
  return divided_by_row(e, row_sums(e));
}

Matrix causal_mask(int64_t length) {
  Matrix out(length, length);
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j <= i; ++j) out.at(i, j) = 1;
  return out;
}

Matrix hidden(const Matrix& scores, const Matrix& mask, double fill) {
  Matrix out = scores;
  for (size_t i = 0; i < out.values.size(); ++i)
    if (mask.values[i] == 0) out.values[i] = fill;
  return out;
}

Attention attention(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& mask) {
  Attention out;
  out.scores = product(q, transposed(k));                                       // [n, m]
  out.scaled = divided(out.scores, std::sqrt(static_cast<double>(q.columns)));  // [n, m]
  out.masked = mask.size() ? hidden(out.scaled, mask, kMinusInfinity) : out.scaled;
  out.weights = softmax(out.masked);     // [n, m]
  out.output = product(out.weights, v);  // [n, d_v]
  return out;
}

Matrix position_encoding(const std::vector<double>& positions, int64_t d) {
  Matrix out(static_cast<int64_t>(positions.size()), d);
  for (int64_t row = 0; row < out.rows; ++row)
    for (int64_t pair = 0; pair < d / 2; ++pair) {
      const double angle = positions[static_cast<size_t>(row)] / position_divisor(pair, d);
      out.at(row, 2 * pair) = std::sin(angle);
      out.at(row, 2 * pair + 1) = std::cos(angle);
    }
  return out;
}

double position_dot(double p, double q, int64_t d) {
  const Matrix both = position_encoding({p, q}, d);
  double total = 0;
  for (int64_t j = 0; j < d; ++j) total += both.at(0, j) * both.at(1, j);
  return total;
}

LayerNorm layer_norm(const Matrix& x, double eps) {
  LayerNorm out;
  const auto n = static_cast<double>(x.size());
  out.mean = sum(x) / n;
  out.centred = shifted(x, -out.mean);
  out.squares = times(out.centred, out.centred);
  out.variance = sum(out.squares) / n;  // biased: divided by n, not by n - 1
  out.deviation = std::sqrt(out.variance + eps);
  out.normalised = divided(out.centred, out.deviation);
  return out;
}

double median(const Matrix& x) {
  std::vector<double> sorted = x.values;
  std::sort(sorted.begin(), sorted.end());
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace jogak::plain
