#include "score/paired.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace jogak {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 300;
  const auto kept = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), out = d;
  for (int m = 1; m <= kMost; ++m) {
    const double n = m;
    const double even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n));
    const double odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
    for (const double term : {even, odd}) {
      d = 1 / kept(1 + term * d);
      c = kept(1 + term / c);
      out *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return out;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double paired_p_value(std::span<const double> a, std::span<const double> b) {
  ensure<Error>(a.size() == b.size(), "paired test: ", a.size(), " values beside ", b.size());
  const auto n = static_cast<double>(a.size());
  if (a.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) mean += (a[i] - b[i]) / n;
  for (size_t i = 0; i < a.size(); ++i) {
    const double off = a[i] - b[i] - mean;
    squares += off * off;
  }
  if (mean == 0) return 1;
  const double freedom = n - 1, t2 = mean * mean * n * freedom / squares;  // infinite: p is 0
  return std::isnan(t2) ? t2 : incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t2));
}

}  // namespace jogak
