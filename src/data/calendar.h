// Moments of the Gregorian calendar, and steps between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace jogak {

// Year, month, day, hour, minute, second; those that are not known are the first.
using Moment = std::array<int64_t, 6>;

bool is_valid(const Moment& moment);
int64_t seconds_of(const Moment& moment);  // since 1970-01-01, without time zones
int64_t weekday_of(const Moment& moment);  // 0: Monday

// How moments follow each other: months are counted as months, the last day of a month stays the
// last, and days may be working days alone.
struct DateStep {
  int64_t months = 0, seconds = 0;  // one of them
  bool last_day = false, weekdays = false;
  Moment after(const Moment& from, int64_t count = 1) const;
};

// The step most pairs of neighbours have; `share` is how many of them. Two rising moments or more.
struct UsualStep {
  DateStep step;
  double share = 0;
};
UsualStep usual_step(std::span<const Moment> moments);

}  // namespace jogak
