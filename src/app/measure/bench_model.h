// What the measurements of models share.
#pragma once

#include <chrono>
#include <vector>

#include "app/measure/bench.h"
#include "app/models/model.h"

namespace jogak {

using BenchClock = std::chrono::steady_clock;
double seconds_since(BenchClock::time_point start);
double median_of(std::vector<double> values);

Model bench_model(const BenchOptions& options, WeightUse use);
BenchedModel benched(const BenchOptions& options, const Model& model);
double peak_rss_mb();

}  // namespace jogak
