// How far forecasts are from what came: mean squared and mean absolute error.
#pragma once

#include <cstdint>
#include <span>

namespace jogak {

class ForecastScore {
 public:
  void add(std::span<const float> found, std::span<const float> wanted);
  int64_t values() const { return values_; }
  double mse() const { return values_ ? squares_ / static_cast<double>(values_) : 0; }
  double mae() const { return values_ ? sums_ / static_cast<double>(values_) : 0; }

 private:
  int64_t values_ = 0;
  double squares_ = 0, sums_ = 0;
};

}  // namespace jogak
