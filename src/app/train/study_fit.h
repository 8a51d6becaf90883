// `jogak study --fit`: how the loss of a study's runs follows from the size of their models and
// from the tokens they read, and what that foretells of a larger one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "base/lang.h"
#include "score/scaling_law.h"

namespace jogak {

struct StudyPrediction {
  std::vector<std::string> settings = {};  // of the run; none: four times the largest trained
  double parameters = 0, tokens = 0,
         times_larger = 0;   // than the largest that the law was fitted to
  double loss = 0;           // that the law says
  double low = 0, high = 0;  // of laws fitted without one of the points
  std::optional<double> measured = {};
  std::string failed = {};  // what a run that did not end said
  std::string command = {};
  double error() const { return loss / *measured - 1; }
};

struct StudyFit {
  std::vector<LossPoint> points = {};  // of every run
  ScalingLaw law = {};
  StudyPrediction ahead = {};
  double mean_error() const;  // |law / measured - 1| over the points
};

// Parameters, and tokens that will be read; the loss is not known yet.
LossPoint size_of_run(const Recipe& recipe);

// Of the settings' run, where there are any.
StudyFit fitted(std::vector<LossPoint> points, const std::optional<LossPoint>& ahead);

std::string fit_text(const StudyFit& fit, Lang lang);
std::string fit_svg(const StudyFit& fit, Lang lang);
// {"E","A","a","B","b","mean_error","points":[{"parameters","tokens","loss","fitted"}],
// "prediction":{"settings","parameters","tokens","times_larger","loss","low","high","measured",
// "error","command"}}
Json to_json(const StudyFit& fit);

}  // namespace jogak
