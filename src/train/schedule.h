// The learning rate as a pure function of the step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

enum class ScheduleKind : uint8_t {
  constant,
  linear,        // straight down to final_rate at the last step
  cosine,        // half a cosine down to final_rate at the last step
  inverse_sqrt,  // rate * sqrt(warmup / step)
  noam,          // factor * width^-0.5 * min(step^-0.5, step * warmup^-1.5)
  wsd,           // warm-up, stable, then straight down over the last `decay` steps
  one_cycle,  // by cosines from rate / 25 up to rate over the warm-up, then down to rate / 250000
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::cosine;
  double rate = 1e-3;  // the peak; noam has none of its own
  double final_rate = 0;
  int64_t warmup = 0;  // steps from 0 straight up to the peak, which step `warmup` has
  int64_t steps = 0;   // the last step; after it the rate stays
  int64_t decay = 0;   // wsd alone
  int64_t width = 0;   // noam alone
  double factor = 1;   // noam alone
};

void check_schedule(const ScheduleOptions& options);           // UsageError
double rate_at(const ScheduleOptions& options, int64_t step);  // steps count from 1

ScheduleKind parse_schedule(std::string_view name);  // UsageError with the nearest name
const char* name_of(ScheduleKind kind);
std::vector<std::string> schedule_names();

}  // namespace jogak
