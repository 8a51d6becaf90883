#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/suggest.h"

namespace jogak {
namespace {

constexpr const char* kSchedules[] = {
    "constant", "linear", "cosine",   "inverse_sqrt",
    "noam",     "wsd",    "one_cycle"};  // in the order of the enum

double straight(double from, double to, double part) { return from + (to - from) * part; }

double by_cosine(double from, double to, double part) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

// 0 at `begin`, 1 at `end` and after it.
double part_of(int64_t begin, int64_t end, int64_t step) {
  if (step >= end) return 1;
  return static_cast<double>(step - begin) / static_cast<double>(end - begin);
}

double noam(const ScheduleOptions& o, double step) {
  const double rise = step * std::pow(static_cast<double>(o.warmup), -1.5);
  return o.factor / std::sqrt(static_cast<double>(o.width)) * std::min(1 / std::sqrt(step), rise);
}

double one_cycle(const ScheduleOptions& o, int64_t step) {
  const double low = o.rate / 25, lowest = low / 1e4;
  const int64_t top = std::max<int64_t>(o.warmup, 1);
  return step < top ? by_cosine(low, o.rate, part_of(1, top, step))
                    : by_cosine(o.rate, lowest, part_of(top, o.steps, step));
}

}  // namespace

void check_schedule(const ScheduleOptions& o) {
  const char* const name = name_of(o.kind);
  ensure<UsageError>(std::isfinite(o.rate) && o.rate >= 0, "schedule ", name, ": found rate ",
                     o.rate, ", wanted 0 or more");
  ensure<UsageError>(std::isfinite(o.final_rate) && o.final_rate >= 0, "schedule ", name,
                     ": found final rate ", o.final_rate, ", wanted 0 or more");
  ensure<UsageError>(o.warmup >= 0 && o.steps >= 0 && o.decay >= 0, "schedule ", name,
                     ": found a negative number of steps");
  if (o.kind == ScheduleKind::noam)
    ensure<UsageError>(o.width > 0 && o.warmup > 0 && std::isfinite(o.factor) && o.factor >= 0,
                       "schedule noam: found width ", o.width, ", warm-up ", o.warmup,
                       " and factor ", o.factor, ", wanted all of them positive");
}

double rate_at(const ScheduleOptions& o, int64_t step) {
  const int64_t s = std::max<int64_t>(step, 1);
  if (o.kind == ScheduleKind::noam) return noam(o, static_cast<double>(s));
  if (o.kind == ScheduleKind::one_cycle) return one_cycle(o, s);
  if (s < o.warmup) return o.rate * static_cast<double>(s) / static_cast<double>(o.warmup);
  const int64_t top = std::max<int64_t>(o.warmup, 1);
  if (s == top) return o.rate;  // the peak, even when it is the last step as well
  switch (o.kind) {
    case ScheduleKind::linear: return straight(o.rate, o.final_rate, part_of(top, o.steps, s));
    case ScheduleKind::cosine: return by_cosine(o.rate, o.final_rate, part_of(top, o.steps, s));
    case ScheduleKind::inverse_sqrt:
      return o.rate * std::sqrt(static_cast<double>(top) / static_cast<double>(s));
    case ScheduleKind::wsd: {
      const int64_t bend = std::max(top, o.steps - o.decay);
      return s <= bend ? o.rate : straight(o.rate, o.final_rate, part_of(bend, o.steps, s));
    }
    default: return o.rate;
  }
}

const char* name_of(ScheduleKind kind) { return kSchedules[static_cast<size_t>(kind)]; }

std::vector<std::string> schedule_names() { return {std::begin(kSchedules), std::end(kSchedules)}; }

ScheduleKind parse_schedule(std::string_view name) {
  const auto at = std::find(std::begin(kSchedules), std::end(kSchedules), name);
  ensure<UsageError>(at != std::end(kSchedules), "no schedule \"", name, "\"",
                     did_you_mean(name, schedule_names()));
  return static_cast<ScheduleKind>(at - std::begin(kSchedules));
}

}  // namespace jogak
