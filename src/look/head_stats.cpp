#include "look/head_stats.h"

#include <algorithm>
#include <cmath>

namespace jogak {
namespace {

struct Mean {
  double sum = 0, count = 0;
  void add(double x) { sum += x, ++count; }
  double value() const { return count > 0 ? sum / count : NAN; }
};

double sum_of(std::span<const double> row) {
  double out = 0;
  for (const double w : row) out += w;
  return out;
}

double near_of(std::span<const double> row, int64_t i) {
  double out = 0;
  for (int64_t j = std::max<int64_t>(i - kNear, 0);
       j <= std::min(i + kNear, static_cast<int64_t>(row.size()) - 1); ++j)
    out += row[static_cast<size_t>(j)];
  return out;
}

double entropy_of(std::span<const double> row) {
  double out = 0;
  for (const double w : row)
    if (w > 0) out -= w * std::log2(w);
  return out;
}

// What row i gives to equal tokens, and to what stood behind earlier equal ones.
void add_equal(std::span<const double> row, size_t i, std::span<const int64_t> tokens, Mean& same,
               Mean& induction) {
  double at_same = 0, behind = 0;
  bool any_same = false, any_behind = false;
  for (size_t j = 0; j < row.size(); ++j) {
    if (j != i && tokens[j] == tokens[i]) at_same += row[j], any_same = true;
    if (j >= 1 && j < i && tokens[j - 1] == tokens[i]) behind += row[j], any_behind = true;
  }
  if (any_same) same.add(at_same);
  if (any_behind) induction.add(behind);
}

}  // namespace

HeadMeasures head_stats(const Matrix& w, std::span<const int64_t> tokens, bool across) {
  Mean previous, next, first, itself, same, induction, near, entropy, even, distance;
  for (int64_t i = 0; i < w.rows; ++i) {
    const auto row = w.row(i);
    const auto at = static_cast<size_t>(i);
    if (sum_of(row) == 0) continue;
    double far = 0;
    for (size_t j = 0; j < row.size(); ++j)
      far += row[j] * std::abs(static_cast<double>(j) - static_cast<double>(i));
    entropy.add(entropy_of(row));
    even.add(std::log2(std::count_if(row.begin(), row.end(), [](double x) { return x > 0; })));
    distance.add(far);
    if (i > 0 || across) first.add(row[0]);
    if (across) continue;
    itself.add(row[at]);
    near.add(near_of(row, i));
    if (i > 0) previous.add(row[at - 1]);
    if (at + 1 < row.size()) next.add(row[at + 1]);
    if (tokens.size() == row.size()) add_equal(row, at, tokens, same, induction);
  }
  return {previous.value(),  next.value(), first.value(),   itself.value(), same.value(),
          induction.value(), near.value(), entropy.value(), even.value(),   distance.value()};
}

}  // namespace jogak
