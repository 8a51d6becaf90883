#include "score/scaling_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"

namespace jogak {
namespace {

// Runs that differ in their seed alone are about one per cent apart: up to there errors count by
// their square, beyond only by their size, so that a run that went wrong does not bend the law.
constexpr double kDelta = 0.01;
constexpr size_t kLeast = 3;  // sizes, and amounts of data

// log E, log of A / N^a and of B / D^b in the middle of the points, log a, log b: all constants are
// positive, and each is of a size near one.
using Constants = std::array<double, 5>;
constexpr Constants kLowest = {-12, -12, -12, -4, -4}, kHighest = {6, 6, 6, 1.5, 1.5};

struct Logs {  // of the points, N and D from their middle
  std::vector<double> n, d, loss;
  double middle_n = 0, middle_d = 0;
};

bool counts(const LossPoint& p) { return std::isfinite(p.loss) && p.loss > 0; }

Logs logs_of(std::span<const LossPoint> points) {
  Logs out;
  for (const LossPoint& p : points)
    if (counts(p)) {
      out.n.push_back(std::log(p.parameters));
      out.d.push_back(std::log(p.tokens));
      out.loss.push_back(std::log(p.loss));
    }
  const auto size = static_cast<double>(out.n.size());
  for (const double x : out.n) out.middle_n += x / size;
  for (const double x : out.d) out.middle_d += x / size;
  for (double& x : out.n) x -= out.middle_n;
  for (double& x : out.d) x -= out.middle_d;
  return out;
}

struct Term {  // of the sum: how far one point is off, and how that changes with each constant
  double error = 0;
  Constants slope = {};
};

Term term_of(const Constants& c, const Logs& logs, size_t i) {
  const double a = std::exp(c[3]), b = std::exp(c[4]);
  const double floor = std::exp(c[0]), size = std::exp(c[1] - a * logs.n[i]),
               data = std::exp(c[2] - b * logs.d[i]);
  const double law = floor + size + data;
  return {std::log(law) - logs.loss[i],
          {floor / law, size / law, data / law, -size * a * logs.n[i] / law,
           -data * b * logs.d[i] / law}};
}

double huber(const Constants& c, const Logs& logs) {
  double sum = 0;
  for (size_t i = 0; i < logs.n.size(); ++i) {
    const double off = std::abs(term_of(c, logs, i).error);
    sum += off <= kDelta ? off * off / 2 : kDelta * (off - kDelta / 2);
  }
  return sum;
}

using Square = std::array<Constants, 5>;

// Gaussian elimination; the matrix is positive definite by its damping.
Constants solved(Square m, Constants right) {
  for (size_t k = 0; k < right.size(); ++k)
    for (size_t row = k + 1; row < right.size(); ++row) {
      const double factor = m[row][k] / m[k][k];
      for (size_t j = k; j < right.size(); ++j) m[row][j] -= factor * m[k][j];
      right[row] -= factor * right[k];
    }
  for (size_t k = right.size(); k-- > 0;) {
    for (size_t j = k + 1; j < right.size(); ++j) right[k] -= m[k][j] * right[j];
    right[k] /= m[k][k];
  }
  return right;
}

Constants stepped(const Constants& c, const Logs& logs, double damping) {
  Square squares = {};
  Constants right = {};
  for (size_t i = 0; i < logs.n.size(); ++i) {
    const Term term = term_of(c, logs, i);
    const double off = std::abs(term.error), weight = off <= kDelta ? 1 : kDelta / off;
    for (size_t j = 0; j < c.size(); ++j) {
      right[j] -= weight * term.slope[j] * term.error;
      for (size_t k = 0; k < c.size(); ++k) squares[j][k] += weight * term.slope[j] * term.slope[k];
    }
  }
  for (size_t j = 0; j < c.size(); ++j) squares[j][j] += damping * (squares[j][j] + 1e-9);
  const Constants step = solved(squares, right);
  Constants out = c;
  for (size_t j = 0; j < c.size(); ++j)
    out[j] = std::clamp(c[j] + step[j], kLowest[j], kHighest[j]);
  return out;
}

// Levenberg and Marquardt: bold where it helps, careful where it does not.
Constants improved(Constants c, const Logs& logs) {
  double damping = 1e-2, best = huber(c, logs);
  for (int i = 0; i < 400 && damping < 1e12; ++i) {
    const Constants next = stepped(c, logs, damping);
    const double found = huber(next, logs);
    if (!(found < best)) {
      damping *= 4;
      continue;
    }
    const bool done = best - found < 1e-14 * best;
    c = next, best = found, damping = std::max(damping / 3, 1e-12);
    if (done) break;
  }
  return c;
}

ScalingLaw law_of(const Constants& c, const Logs& logs) {
  const double a = std::exp(c[3]), b = std::exp(c[4]);
  return {std::exp(c[0]), std::exp(c[1] + a * logs.middle_n), a, std::exp(c[2] + b * logs.middle_d),
          b};
}

Constants best_of_many(const Logs& logs) {
  const double lowest = std::exp(*std::min_element(logs.loss.begin(), logs.loss.end()));
  Constants best = {};
  double least = std::numeric_limits<double>::infinity();
  for (const double share : {0.2, 0.6, 0.9})  // of the lowest loss, that no model gets below
    for (const double a : {0.1, 0.3, 0.6, 1.0})
      for (const double b : {0.1, 0.3, 0.6, 1.0}) {
        const double rest = std::log(lowest * (1 - share) / 2);
        const Constants found =
            improved({std::log(lowest * share), rest, rest, std::log(a), std::log(b)}, logs);
        if (const double off = huber(found, logs); off < least) least = off, best = found;
      }
  return best;
}

}  // namespace

double ScalingLaw::at(double parameters, double tokens) const {
  return E + A / std::pow(parameters, a) + B / std::pow(tokens, b);
}

void check_spread(std::span<const LossPoint> points) {
  std::set<double> sizes, amounts;
  for (const LossPoint& p : points) sizes.insert(p.parameters), amounts.insert(p.tokens);
  ensure<UsageError>(sizes.size() >= kLeast && amounts.size() >= kLeast, "--fit: found runs of ",
                     sizes.size(), " sizes and ", amounts.size(), " amounts of data, wanted ",
                     kLeast,
                     " or more of each; vary the model's "
                     "widths or layers, and train.steps");
}

ScalingLaw fit_scaling_law(std::span<const LossPoint> points) {
  std::vector<LossPoint> good;
  for (const LossPoint& p : points)
    if (counts(p)) good.push_back(p);
  check_spread(good);
  const Logs logs = logs_of(good);
  return law_of(best_of_many(logs), logs);
}

std::vector<double> predictions_without_one(std::span<const LossPoint> points, double parameters,
                                            double tokens) {
  const Constants start = best_of_many(logs_of(points));
  std::vector<double> out;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!counts(points[i])) continue;
    std::vector<LossPoint> others(points.begin(), points.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Logs logs = logs_of(others);
    out.push_back(law_of(improved(start, logs), logs).at(parameters, tokens));
  }
  return out;
}

}  // namespace jogak
