#include "data/dates_ahead.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace jogak {
namespace {

// Numbers and what stands between them: "2031-05-09 07:30" is 2031 - 05 - 09 (blank) 07 : 30.
struct Written {
  std::vector<int64_t> numbers;
  std::vector<size_t> digits;  // how many each has
  std::vector<std::string> between;

  bool alike(const Written& other) const {
    return between == other.between && numbers.size() == other.numbers.size();
  }
};

std::optional<Written> split(const std::string& text) {
  Written out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    int64_t value = 0;
    if (end == at || end - at > 15) return std::nullopt;
    std::from_chars(text.data() + at, text.data() + end, value);
    out.numbers.push_back(value);
    out.digits.push_back(end - at);
    for (at = end; at < text.size() && (text[at] < '0' || text[at] > '9');) ++at;
    out.between.push_back(text.substr(end, at - end));
  }
  return out.numbers.empty() ? std::nullopt : std::optional(out);
}

std::string joined(const Written& like, std::span<const int64_t> numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string digits = std::to_string(numbers[i]);
    // "05" keeps its width, "5" grows as it must.
    const size_t width = i == 0 ? 0 : like.digits[i];
    out += std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
    out += like.between[i];
  }
  return out;
}

// Days since 1970-01-01 in the Gregorian calendar, and back.
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

constexpr int64_t kDaySeconds = 86400;

// Year, month, day, hour, minute, second; those that are not written are the first.
using Moment = std::array<int64_t, 6>;

std::optional<Moment> moment_of(const Written& w) {
  if (w.numbers.size() < 2 || w.numbers.size() > 6 || w.digits[0] != 4) return std::nullopt;
  Moment m = {0, 1, 1, 0, 0, 0};
  std::copy(w.numbers.begin(), w.numbers.end(), m.begin());
  const bool good = m[1] >= 1 && m[1] <= 12 && m[2] >= 1 && m[2] <= month_days(m[0], m[1]) &&
                    m[3] < 24 && m[4] < 60 && m[5] < 60;
  return good ? std::optional(m) : std::nullopt;
}

int64_t seconds_of(const Moment& m) {
  return days_of(m[0], m[1], m[2]) * kDaySeconds + m[3] * 3600 + m[4] * 60 + m[5];
}

Moment at_seconds(int64_t seconds) {
  const int64_t days = (seconds >= 0 ? seconds : seconds - kDaySeconds + 1) / kDaySeconds;
  const int64_t rest = seconds - days * kDaySeconds;
  const auto [year, month, day] = date_of_day(days);
  return {year, month, day, rest / 3600, rest / 60 % 60, rest % 60};
}

// Whole months from one moment to the next, when that is what they differ by; else 0.
int64_t months_between(const Moment& a, const Moment& b) {
  const bool last = a[2] == month_days(a[0], a[1]) && b[2] == month_days(b[0], b[1]);
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

std::optional<std::vector<std::string>> moments_ahead(const Written& before, const Written& last,
                                                      int64_t count) {
  const auto a = moment_of(before), b = moment_of(last);
  if (!a || !b || seconds_of(*a) >= seconds_of(*b)) return std::nullopt;
  const int64_t months = months_between(*a, *b), step = seconds_of(*b) - seconds_of(*a);
  const bool last_day =
      a->at(2) == month_days(a->at(0), a->at(1)) && b->at(2) == month_days(b->at(0), b->at(1));
  std::vector<std::string> out;
  for (int64_t i = 1; i <= count; ++i) {
    const Moment m =
        months > 0 ? months_later(*b, months * i, last_day) : at_seconds(seconds_of(*b) + step * i);
    out.push_back(joined(last, std::span(m).first(last.numbers.size())));
  }
  return out;
}

}  // namespace

std::vector<std::string> dates_ahead(std::span<const std::string> dates, int64_t count) {
  std::vector<std::string> out;
  if (dates.size() >= 2) {
    const auto before = split(dates[dates.size() - 2]), last = split(dates.back());
    if (before && last && before->alike(*last)) {
      if (last->numbers.size() == 1 && last->between[0].empty() &&
          last->numbers[0] > before->numbers[0]) {
        const int64_t step = last->numbers[0] - before->numbers[0];
        for (int64_t i = 1; i <= count; ++i)
          out.push_back(std::to_string(last->numbers[0] + step * i));
        return out;
      }
      if (auto moments = moments_ahead(*before, *last, count)) return *moments;
    }
  }
  for (int64_t i = 1; i <= count; ++i) out.push_back("+" + std::to_string(i));
  return out;
}

}  // namespace jogak
