// The learning rate as a pure function of the step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/learn_options.h"

namespace jogak {

void check_schedule(const ScheduleOptions& options);           // UsageError
double rate_at(const ScheduleOptions& options, int64_t step);  // steps count from 1

ScheduleKind parse_schedule(std::string_view name);  // UsageError with the nearest name
const char* name_of(ScheduleKind kind);
std::vector<std::string> schedule_names();

}  // namespace jogak
