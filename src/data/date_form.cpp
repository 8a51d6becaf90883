#include "data/date_form.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace jogak {
namespace {

using Field = DateForm::Field;
using Item = DateForm::Item;

constexpr const char* kMonths[] = {"january",   "february", "march",    "april",
                                   "may",       "june",     "july",     "august",
                                   "september", "october",  "november", "december"};
constexpr const char* kWeekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                     "friday", "saturday", "sunday"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// The place of a name or of its first three letters; -1: none.
int64_t name_place(std::span<const char* const> names, std::string_view word) {
  const std::string small = lower(word);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (small == name || (small.size() >= 3 && small.size() <= 4 && name.starts_with(small)))
      return static_cast<int64_t>(i);
  }
  return -1;
}

// 0: the first half of a day, 1: the second; -1: neither.
int half_of(std::string_view word) {
  const std::string small = lower(word);
  if (small == "am" || small == "오전") return 0;
  return small == "pm" || small == "오후" ? 1 : -1;
}

// Runs of digits, of letters, and of what is neither.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> out;
  const auto kind = [](char c) { return is_digit(c) ? 0 : is_letter(c) ? 1 : 2; };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && kind(text[end]) == kind(text[at])) ++end;
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

int64_t number(std::string_view digits) {
  int64_t value = -1;
  if (digits.size() <= 9) std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool is_number(const std::string& token) { return is_digit(token[0]); }
bool is_year(const std::string& token) {
  return token.size() == 4 && number(token) >= 1000 && number(token) < 3000;
}

// Reads the first date of a column: what each of its parts is. Parts that may be a month or a day
// are left open.
class Reader {
 public:
  explicit Reader(const std::string& text) : tokens_(tokens_of(text)) {
    for (size_t i = 0; i < tokens_.size(); ++i) take(i);
  }

  std::vector<DateForm> forms() const {
    if (compact_) return {DateForm(items_)};
    std::vector<DateForm> out;
    const auto with = [&](std::initializer_list<Field> fields) {
      std::vector<Item> items = items_;
      size_t i = 0;
      for (const Field field : fields) items[dates_[i++]].field = field;
      out.emplace_back(std::move(items));
    };
    const size_t count = dates_.size();
    const bool year_first = count > 0 && is_year(items_[dates_[0]].text);
    const bool year_last = count > 1 && is_year(items_[dates_[count - 1]].text);
    if (quarter_ && count == 1 && year_first) with({Field::year});
    if (quarter_) return out;
    if (named_) {
      if (count == 1 && year_first) with({Field::year});
      if (count == 2 && year_first) with({Field::year, Field::day});
      if (count == 2 && year_last) with({Field::day, Field::year});
      return out;
    }
    if (count == 2 && year_first) with({Field::year, Field::month});
    if (count == 3 && year_first) with({Field::year, Field::month, Field::day});
    if (count == 2 && year_last && !year_first) with({Field::month, Field::year});
    if (count == 3 && year_last && !year_first) {
      const bool slash = dates_[0] + 1 < items_.size() && items_[dates_[0] + 1].text == "/";
      if (slash) with({Field::month, Field::day, Field::year});
      with({Field::day, Field::month, Field::year});
      if (!slash) with({Field::month, Field::day, Field::year});
    }
    return out;
  }

 private:
  void add(Field field, const std::string& text, bool joined = false) {
    items_.push_back({field, text, text.size(), joined});
  }

  void take(size_t i) {
    const std::string& token = tokens_[i];
    const std::string next = i + 1 < tokens_.size() ? tokens_[i + 1] : "";
    if (zone_) return add(Field::literal, token);
    if (!is_number(token)) return take_words(token);
    const auto is = [&](const char* unit) { return next.starts_with(unit); };
    if (is("시")) return take_time(token, Field::hour);
    if (is("분기") || after_q()) {
      quarter_ = true;
      return add(Field::quarter, token);
    }
    if (is("분")) return take_time(token, Field::minute);
    if (is("초")) return take_time(token, Field::second);
    const bool after_colon = !items_.empty() && items_.back().text == ":";
    if (next == ":" && !after_colon) return take_time(token, Field::hour);
    if (after_colon) return take_time(token, minutes_ ? Field::second : Field::minute);
    if (timed_) return add(Field::literal, token);  // ".000"
    if (token.size() == 8 && i == 0 && number(token) >= 19000101 && number(token) < 21000000) {
      compact_ = true;
      add(Field::year, token.substr(0, 4), true);
      add(Field::month, token.substr(4, 2), true);
      return add(Field::day, token.substr(6), true);
    }
    dates_.push_back(items_.size());
    add(Field::literal, token);
  }

  void take_time(const std::string& token, Field field) {
    timed_ = true;
    minutes_ |= field == Field::minute;
    add(field, token);
  }

  void take_words(const std::string& token) {
    if (!named_ && name_place(kMonths, token) >= 0) {
      named_ = true;
      return add(Field::month_name, token);
    }
    if (name_place(kWeekdays, token) >= 0) return add(Field::weekday, token);
    if (half_of(token) >= 0) return add(Field::half, token);
    zone_ = timed_ && (token == "+" || token == "-" || token == "Z");
    add(Field::literal, token);
  }

  bool after_q() const { return !items_.empty() && lower(items_.back().text) == "q"; }

  std::vector<std::string> tokens_;
  std::vector<Item> items_;
  std::vector<size_t> dates_;  // items that are a year, a month or a day
  bool compact_ = false, quarter_ = false, named_ = false;
  bool timed_ = false, minutes_ = false, zone_ = false;
};

std::string as_written(std::string_view name, const std::string& like) {
  std::string out(name);
  const auto upper = [](char& c) { c = static_cast<char>(c - 'a' + 'A'); };
  if (like[0] >= 'A' && like[0] <= 'Z') upper(out[0]);
  if (like.size() > 1 && like[1] >= 'A' && like[1] <= 'Z')
    for (char& c : out)
      if (c >= 'a') upper(c);
  return out;
}

std::string named(std::span<const char* const> names, int64_t place, const Item& item) {
  const std::string_view name = names[static_cast<size_t>(place)];
  return as_written(item.written_out ? name : name.substr(0, 3), item.text);
}

std::string half_text(bool second, const std::string& like) {
  if (like.starts_with("오")) return second ? "오후" : "오전";
  return as_written(second ? "pm" : "am", like);
}

std::string padded(int64_t value, size_t digits) {
  const std::string text = std::to_string(value);
  return std::string(digits > text.size() ? digits - text.size() : 0, '0') + text;
}

}  // namespace

// What stands for each item; false where the text is written in another way.
bool DateForm::match(const std::string& text, std::vector<std::string>& parts) const {
  parts.clear();
  size_t at = 0;
  for (const Item& item : items_) {
    size_t end = at;
    if (item.field == Field::literal) {
      if (text.compare(at, item.text.size(), item.text) != 0) return false;
      end += item.text.size();
    } else {
      const bool word = item.field == Field::month_name || item.field == Field::weekday ||
                        item.field == Field::half;
      const size_t most = item.joined ? at + item.text.size() : text.size();
      while (end < std::min(most, text.size()) &&
             (word ? is_letter(text[end]) : is_digit(text[end])))
        ++end;
      if (end == at || (item.joined && end != most)) return false;
    }
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return at == text.size();
}

std::optional<Moment> DateForm::read(const std::string& text) const {
  std::vector<std::string> parts;
  if (!match(text, parts)) return std::nullopt;
  Moment m = {0, 1, 1, 0, 0, 0};
  int half = -1;
  for (size_t i = 0; i < items_.size(); ++i) {
    const std::string& part = parts[i];
    const int64_t value = is_digit(part[0]) ? number(part) : -1;
    switch (items_[i].field) {
      case Field::literal: break;
      case Field::year: m[0] = part.size() == 4 ? value : -1; break;
      case Field::month: m[1] = value; break;
      case Field::month_name: m[1] = name_place(kMonths, part) + 1; break;
      case Field::day: m[2] = value; break;
      case Field::hour: m[3] = value; break;
      case Field::minute: m[4] = value; break;
      case Field::second: m[5] = value; break;
      case Field::quarter: m[1] = value >= 1 && value <= 4 ? 3 * value - 2 : 0; break;
      case Field::half:
        half = half_of(part);
        if (half < 0) return std::nullopt;
        break;
      case Field::weekday:
        if (name_place(kWeekdays, part) < 0) return std::nullopt;
        break;
    }
  }
  if (half >= 0 && (m[3] < 1 || m[3] > 12)) return std::nullopt;
  if (half >= 0) m[3] = m[3] % 12 + 12 * half;
  return m[0] >= 0 && is_valid(m) ? std::optional(m) : std::nullopt;
}

std::string DateForm::write(const Moment& m) const {
  const bool halves = std::any_of(items_.begin(), items_.end(),
                                  [](const Item& item) { return item.field == Field::half; });
  std::string out;
  for (const Item& item : items_) {
    switch (item.field) {
      case Field::literal: out += item.text; break;
      case Field::year: out += padded(m[0], 4); break;
      case Field::month: out += padded(m[1], item.digits); break;
      case Field::month_name: out += named(kMonths, m[1] - 1, item); break;
      case Field::day: out += padded(m[2], item.digits); break;
      case Field::hour: out += padded(halves ? (m[3] + 11) % 12 + 1 : m[3], item.digits); break;
      case Field::minute: out += padded(m[4], item.digits); break;
      case Field::second: out += padded(m[5], item.digits); break;
      case Field::quarter: out += std::to_string((m[1] + 2) / 3); break;
      case Field::half: out += half_text(m[3] >= 12, item.text); break;
      case Field::weekday: out += named(kWeekdays, weekday_of(m), item); break;
    }
  }
  return out;
}

// A number that was never below ten does not tell whether it is filled up with zeros: the others
// do.
void DateForm::learn_widths(std::span<const std::string> dates) {
  std::vector<std::string> parts;
  std::vector<bool> zeros(items_.size());
  for (const std::string& date : dates) {
    if (!match(date, parts)) continue;
    for (size_t i = 0; i < items_.size(); ++i) {
      items_[i].digits = std::min(items_[i].digits, parts[i].size());
      items_[i].written_out |= parts[i].size() > 4;
      zeros[i] = zeros[i] || parts[i][0] == '0';
    }
  }
  const auto decided = [&](size_t i) { return zeros[i] || items_[i].digits == 1; };
  const auto is_filled = [](const Item& item) {
    return item.field == Field::month || item.field == Field::day || item.field == Field::hour;
  };
  bool filled = std::none_of(items_.begin(), items_.end(),
                             [](const Item& item) { return item.field == Field::month_name; });
  for (size_t i = items_.size(); i-- > 0;)  // the first that tells wins
    if (is_filled(items_[i]) && decided(i)) filled = zeros[i];
  for (size_t i = 0; i < items_.size(); ++i)
    if (is_filled(items_[i]) && !decided(i) && !filled && !items_[i].joined) items_[i].digits = 1;
}

namespace {

std::optional<std::vector<Moment>> all_read(const DateForm& form,
                                            std::span<const std::string> dates) {
  std::vector<Moment> out;
  for (const std::string& date : dates) {
    const auto moment = form.read(date);
    if (!moment) return std::nullopt;
    out.push_back(*moment);
  }
  return out;
}

size_t first_fall(const std::vector<Moment>& moments) {
  for (size_t i = 1; i < moments.size(); ++i)
    if (seconds_of(moments[i]) <= seconds_of(moments[i - 1])) return i;
  return 0;
}

}  // namespace

std::optional<ReadDates> read_dates(std::span<const std::string> dates) {
  std::optional<ReadDates> best;
  if (dates.size() < 2) return best;
  double share = -1;
  for (const DateForm& form : Reader(dates[0]).forms()) {
    auto moments = all_read(form, dates);
    if (!moments || first_fall(*moments) > 0) continue;
    const double own = usual_step(*moments).share;
    if (own <= share) continue;
    share = own;
    best = ReadDates{form, std::move(*moments)};
  }
  if (best) best->form.learn_widths(dates);
  return best;
}

size_t first_not_later(std::span<const std::string> dates) {
  size_t place = 0;
  if (dates.size() < 2) return place;
  for (const DateForm& form : Reader(dates[0]).forms())
    if (const auto moments = all_read(form, dates)) place = std::max(place, first_fall(*moments));
  return place;
}

}  // namespace jogak
