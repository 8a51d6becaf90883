#include "data/calendar.h"

#include <algorithm>
#include <map>

namespace jogak {
namespace {

constexpr int64_t kDaySeconds = 86400;

// Days since 1970-01-01, and back.
int64_t days_of(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  const int64_t era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
  const int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

std::array<int64_t, 3> date_of_day(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097, in_era = days - era * 146097;
  const int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
  const int64_t from_march = (5 * in_year + 2) / 153;
  const int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  return {year + era * 400 + (month <= 2), month, in_year - (153 * from_march + 2) / 5 + 1};
}

int64_t month_days(int64_t year, int64_t month) {
  return days_of(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) -
         days_of(year, month, 1);
}

int64_t day_number(int64_t seconds) {  // rounds down before 1970, too
  return (seconds >= 0 ? seconds : seconds - kDaySeconds + 1) / kDaySeconds;
}

Moment at_seconds(int64_t seconds) {
  const int64_t days = day_number(seconds), rest = seconds - days * kDaySeconds;
  const auto [year, month, day] = date_of_day(days);
  return {year, month, day, rest / 3600, rest / 60 % 60, rest % 60};
}

bool is_last_day(const Moment& m) { return m[2] == month_days(m[0], m[1]); }

// Whole months from one moment to the next, when that is what they differ by; else 0.
int64_t months_between(const Moment& a, const Moment& b) {
  const bool last = is_last_day(a) && is_last_day(b);
  if ((a[2] != b[2] && !last) || a[3] != b[3] || a[4] != b[4] || a[5] != b[5]) return 0;
  return (b[0] - a[0]) * 12 + b[1] - a[1];
}

Moment months_later(const Moment& from, int64_t months, bool last_day) {
  Moment out = from;
  const int64_t month = from[0] * 12 + from[1] - 1 + months;
  out[0] = month / 12, out[1] = month % 12 + 1;
  const int64_t most = month_days(out[0], out[1]);
  out[2] = last_day ? most : std::min(out[2], most);
  return out;
}

bool is_weekend(const Moment& m) { return weekday_of(m) >= 5; }

}  // namespace

bool is_valid(const Moment& m) {
  return m[1] >= 1 && m[1] <= 12 && m[2] >= 1 && m[2] <= month_days(m[0], m[1]) && m[3] >= 0 &&
         m[3] < 24 && m[4] >= 0 && m[4] < 60 && m[5] >= 0 && m[5] < 60;
}

int64_t seconds_of(const Moment& m) {
  return days_of(m[0], m[1], m[2]) * kDaySeconds + m[3] * 3600 + m[4] * 60 + m[5];
}

int64_t weekday_of(const Moment& m) {
  return (day_number(seconds_of(m)) % 7 + 10) % 7;  // 1970-01-01 was a Thursday
}

Moment DateStep::after(const Moment& from, int64_t count) const {
  if (months > 0) return months_later(from, months * count, last_day);
  Moment out = at_seconds(seconds_of(from) + (weekdays ? 0 : seconds * count));
  for (int64_t i = 0; weekdays && i < count; ++i) do {
      out = at_seconds(seconds_of(out) + kDaySeconds);
    } while (is_weekend(out));
  return out;
}

UsualStep usual_step(std::span<const Moment> moments) {
  std::map<int64_t, size_t> months, seconds;
  for (size_t i = 1; i < moments.size(); ++i) {
    ++months[months_between(moments[i - 1], moments[i])];
    ++seconds[seconds_of(moments[i]) - seconds_of(moments[i - 1])];
  }
  months.erase(0);
  const auto most = [](const auto& counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  };
  const auto by_time = most(seconds);
  UsualStep out;
  size_t count = by_time->second;
  if (!months.empty() && most(months)->second >= count) {
    count = most(months)->second;
    out.step.months = most(months)->first;
    out.step.last_day = std::all_of(moments.begin(), moments.end(), is_last_day);
  } else {
    out.step.seconds = by_time->first;
    constexpr size_t kTwoWeeks = 10;
    if (out.step.seconds == kDaySeconds && moments.size() >= kTwoWeeks &&
        std::none_of(moments.begin(), moments.end(), is_weekend)) {
      out.step.weekdays = true;
      if (const auto over = seconds.find(3 * kDaySeconds); over != seconds.end())
        count += over->second;
    }
  }
  out.share = static_cast<double>(count) / static_cast<double>(moments.size() - 1);
  return out;
}

}  // namespace jogak
