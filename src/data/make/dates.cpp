#include "data/make/dates.h"

#include <chrono>
#include <iterator>
#include <string_view>

#include "base/error.h"

namespace jogak {
namespace {

namespace chr = std::chrono;

// Only forms that mean one day: 05/09/2031 is the ninth of May to some and of September to others.
// Words in braces are replaced, see word_for.
constexpr const char* kForms[] = {
    "{Y}년 {M}월 {D}일",
    "{Y}년 {M}월 {D}일 {요}요일",
    "{Y}년 {MM}월 {DD}일 ({요})",
    "{Y}. {M}. {D}.",
    "{Y}. {MM}. {DD}. ({요})",
    "{Y}년{M}월{D}일",
    "{요}요일, {Y}년 {M}월 {D}일",
    "서기 {Y}년 {M}월 {D}일",
    "{Month} {D}, {Y}",
    "{D} {Month} {Y}",
    "{Weekday}, {Month} {Dth}, {Y}",
    "the {Dth} of {Month}, {Y}",
    "{Day}, {DD} {Mon} {Y}",
    "{Mon} {D}, {Y}",
    "{Weekday} {D} {Month} {Y}",
    "{D}-{Mon}-{Y}",
};

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};
constexpr std::string_view kKoreanWeekdays[] = {"일", "월", "화", "수", "목", "금", "토"};

constexpr chr::year_month_day calendar(const Date& date) {
  return {chr::year(date.year), chr::month(static_cast<unsigned>(date.month)),
          chr::day(static_cast<unsigned>(date.day))};
}

constexpr chr::sys_days days_of(const Date& date) { return calendar(date); }

constexpr chr::sys_days kFirstDay = days_of({kFirstYear, 1, 1});
constexpr int64_t kDays = (days_of({kLastYear, 12, 31}) - kFirstDay).count() + 1;

Date date_of(int64_t day) {  // counted from kFirstDay
  const chr::year_month_day ymd(kFirstDay + chr::days(day));
  return {int(ymd.year()), static_cast<int>(unsigned(ymd.month())),
          static_cast<int>(unsigned(ymd.day()))};
}

std::string two_digits(int value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::string with_ending(int day) {  // 1st, 2nd, 3rd, 4th, ..., 11th, 12th, 13th
  constexpr const char* kEndings[] = {"th", "st", "nd", "rd"};
  const bool teen = day >= 11 && day <= 13;
  return std::to_string(day) + kEndings[!teen && day % 10 <= 3 ? day % 10 : 0];
}

std::string word_for(std::string_view key, const Date& date) {
  const unsigned weekday = chr::weekday(days_of(date)).c_encoding();
  if (key == "Y") return std::to_string(date.year);
  if (key == "M") return std::to_string(date.month);
  if (key == "MM") return two_digits(date.month);
  if (key == "Month") return std::string(kMonths[date.month - 1]);
  if (key == "Mon") return std::string(kMonths[date.month - 1].substr(0, 3));
  if (key == "D") return std::to_string(date.day);
  if (key == "DD") return two_digits(date.day);
  if (key == "Dth") return with_ending(date.day);
  if (key == "Weekday") return std::string(kWeekdays[weekday]);
  if (key == "Day") return std::string(kWeekdays[weekday].substr(0, 3));
  if (key == "요") return std::string(kKoreanWeekdays[weekday]);
  fail<Error>("a date pattern names {", key, "}");
}

std::string_view form_at(int form) {
  ensure<Error>(form >= 0 && form < date_form_count(), "date form ", form, ", there are ",
                date_form_count());
  return kForms[form];
}

}  // namespace

int date_form_count() { return static_cast<int>(std::size(kForms)); }

std::string write_date(const Date& date, int form) {
  ensure<Error>(calendar(date).ok(), "no such day: ", date.year, '-', date.month, '-', date.day);
  const std::string_view pattern = form_at(form);
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '{') {
      out += pattern[at++];
      continue;
    }
    const size_t end = pattern.find('}', at);
    out += word_for(pattern.substr(at + 1, end - at - 1), date);
    at = end + 1;
  }
  return out;
}

std::string iso_date(const Date& date) {
  return std::to_string(date.year) + '-' + two_digits(date.month) + '-' + two_digits(date.day);
}

std::string date_line(const Date& date, int form) {
  return write_date(date, form) + " = " + iso_date(date);
}

bool is_held_out(uint64_t seed, const Date& date) {
  return is_held_out(seed, static_cast<uint64_t>((days_of(date) - kFirstDay).count()));
}

std::vector<std::string> make_dates(int64_t count, uint64_t seed, Split split) {
  ensure<UsageError>(count >= 0, count, " dates asked for");
  Rng rng = rng_for(seed, split);
  std::vector<std::string> lines;
  while (static_cast<int64_t>(lines.size()) < count) {
    const Date date = date_of(static_cast<int64_t>(rng.below(static_cast<uint64_t>(kDays))));
    const auto form = static_cast<int>(rng.below(std::size(kForms)));
    if (is_held_out(seed, date) == (split == Split::held_out))
      lines.push_back(date_line(date, form));
  }
  return lines;
}

}  // namespace jogak
