// How a column writes its dates: 2031-05-09 07:30, 09.05.2031, 5/9/2031 1:00 PM, 9 May 2031,
// 20310509, 2031-Q2, 2031년 5월 9일.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/calendar.h"

namespace jogak {

class DateForm {
 public:
  std::optional<Moment> read(const std::string& text) const;
  std::string write(const Moment& moment) const;

  enum class Field {
    literal,
    year,
    month,
    month_name,
    day,
    hour,
    minute,
    second,
    half,  // AM, PM
    quarter,
    weekday
  };
  struct Item {
    Field field;
    std::string text;          // as the first date has it; of a literal, what stands there
    size_t digits = 0;         // fewest that any date has
    bool joined = false;       // nothing divides it from the next number: exactly so many digits
    bool written_out = false;  // "September", not "Sep"
  };
  explicit DateForm(std::vector<Item> items) : items_(std::move(items)) {}
  void learn_widths(std::span<const std::string> dates);  // of dates that read

 private:
  bool match(const std::string& text, std::vector<std::string>& parts) const;
  std::vector<Item> items_;
};

struct ReadDates {
  DateForm form;
  std::vector<Moment> moments;
};
// All of a column, when one form reads them and each is later than the one before. Of two that do
// (3/4/2031) the one whose steps are more alike; of equals months stand before days where a slash
// divides them, else behind.
std::optional<ReadDates> read_dates(std::span<const std::string> dates);
// The first place where a form reads both dates and the later is not later; 0: there is none.
size_t first_not_later(std::span<const std::string> dates);

}  // namespace jogak
