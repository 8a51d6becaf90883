// How the loss of a model follows from its size and from what it has read:
//   loss = E + A / N^a + B / D^b
// with N parameters and D tokens, as Hoffmann et al. (2022) have it.
#pragma once

#include <span>
#include <vector>

namespace jogak {

struct LossPoint {  // of one run
  double parameters = 0, tokens = 0, loss = 0;
};

struct ScalingLaw {
  double E = 0, A = 0, a = 0, B = 0, b = 0;
  double at(double parameters, double tokens) const;
};

// UsageError for fewer than three sizes or three amounts of data, which do not tell the constants.
void check_spread(std::span<const LossPoint> points);

// The law with the smallest Huber loss of log(law) - log(measured), the best of many starts; the
// same points always give the same law. Points whose loss is not finite and positive do not count.
ScalingLaw fit_scaling_law(std::span<const LossPoint> points);

// What laws say that are fitted without one of the points each: how far one run decides.
std::vector<double> predictions_without_one(std::span<const LossPoint> points, double parameters,
                                            double tokens);

}  // namespace jogak
