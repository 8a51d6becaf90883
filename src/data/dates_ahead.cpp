#include "data/dates_ahead.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "data/date_form.h"

namespace jogak {
namespace {

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size() && text.size() <= 15;
  return good && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string> dates_ahead(std::span<const std::string> dates, int64_t count) {
  std::vector<std::string> out;
  if (const auto read = read_dates(dates)) {
    const DateStep step = usual_step(read->moments).step;
    const Moment& last = read->moments.back();
    Moment next = last;
    for (int64_t i = 1; i <= count; ++i) {
      next = step.weekdays ? step.after(next) : step.after(last, i);  // months from the same day
      out.push_back(read->form.write(next));
    }
    return out;
  }
  if (dates.size() >= 2) {
    const auto before = whole_number(dates[dates.size() - 2]), last = whole_number(dates.back());
    if (before && last && *last > *before) {
      for (int64_t i = 1; i <= count; ++i)
        out.push_back(std::to_string(*last + (*last - *before) * i));
      return out;
    }
  }
  for (int64_t i = 1; i <= count; ++i) out.push_back("+" + std::to_string(i));
  return out;
}

}  // namespace jogak
