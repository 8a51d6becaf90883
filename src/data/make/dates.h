// Generated data: dates as people write them in Korean and English, each with its ISO form.
//   2031년 5월 9일 금요일 = 2031-05-09        Friday, May 9th, 2031 = 2031-05-09
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/split.h"

namespace jogak {

struct Date {
  int year = 2000, month = 1, day = 1;
  auto operator<=>(const Date&) const = default;
};

inline constexpr int kFirstYear = 1900, kLastYear = 2099;

int date_form_count();
std::string write_date(const Date& date, int form);  // as people write it
std::string iso_date(const Date& date);              // 2031-05-09
std::string date_line(const Date& date, int form);   // the two with " = " between

// A date is held out in every form and language at once: the training side never holds it.
bool is_held_out(uint64_t seed, const Date& date);

// Date and form drawn evenly; the same lines for the same count, seed and side, and more of them
// begin with the same ones.
std::vector<std::string> make_dates(int64_t count, uint64_t seed, Split split);

}  // namespace jogak
