// Generated data: dates and sorting.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/utf8.h"
#include "data/make/dates.h"
#include "data/make/sort.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// Zeller's congruence: 0 is Sunday. Independent of the calendar the generator uses.
int weekday_of(const Date& date) {
  const int month = date.month < 3 ? date.month + 12 : date.month;
  const int year = date.month < 3 ? date.year - 1 : date.year;
  const int k = year % 100, j = year / 100;
  const int h = (date.day + 13 * (month + 1) / 5 + k + k / 4 + j / 4 + 5 * j) % 7;  // 0: Saturday
  return (h + 6) % 7;
}

Date parse_iso(const std::string& text) {
  Date date;
  char dash = 0;
  std::istringstream(text) >> date.year >> dash >> date.month >> dash >> date.day;
  date.month = std::abs(date.month);
  date.day = std::abs(date.day);
  return date;
}

struct Line {
  std::string prompt, answer;
};

Line split_line(const std::string& line) {
  const size_t at = line.find(" = ");
  EXPECT_NE(at, std::string::npos) << line;
  return {line.substr(0, at), line.substr(at + 3)};
}

TEST(MakeDates, FormsOfOneDay) {
  const Date day{2031, 5, 9};
  std::vector<std::string> forms;
  for (int form = 0; form < date_form_count(); ++form) forms.push_back(write_date(day, form));
  EXPECT_EQ(forms, (std::vector<std::string>{
                       "2031년 5월 9일", "2031년 5월 9일 금요일", "2031년 05월 09일 (금)",
                       "2031. 5. 9.", "2031. 05. 09. (금)", "2031년5월9일",
                       "금요일, 2031년 5월 9일", "서기 2031년 5월 9일", "May 9, 2031", "9 May 2031",
                       "Friday, May 9th, 2031", "the 9th of May, 2031", "Fri, 09 May 2031",
                       "May 9, 2031", "Friday 9 May 2031", "9-May-2031"}));
  EXPECT_EQ(date_line(day, 1), "2031년 5월 9일 금요일 = 2031-05-09");
  EXPECT_EQ(write_date({1999, 12, 31}, 2), "1999년 12월 31일 (금)");
  EXPECT_EQ(write_date({1999, 9, 1}, 13), "Sep 1, 1999");
}

TEST(MakeDates, AtLeastTwelveFormsInBothLanguages) {
  std::set<std::string> distinct;
  int korean = 0;
  for (int form = 0; form < date_form_count(); ++form) {
    const std::string text = write_date({2047, 10, 23}, form);
    distinct.insert(text);
    korean += text.find("Oct") == std::string::npos;
  }
  EXPECT_GE(distinct.size(), 12u);
  EXPECT_EQ(distinct.size(), static_cast<size_t>(date_form_count()));
  EXPECT_GE(korean, 6);
  EXPECT_GE(date_form_count() - korean, 6);
}

TEST(MakeDates, EndingsOfDays) {
  const std::map<int, std::string> endings = {
      {1, "1st"},   {2, "2nd"},   {3, "3rd"},   {4, "4th"},   {11, "11th"},
      {12, "12th"}, {13, "13th"}, {20, "20th"}, {21, "21st"}, {22, "22nd"},
      {23, "23rd"}, {30, "30th"}, {31, "31st"}};
  for (const auto& [day, text] : endings)
    EXPECT_EQ(write_date({2031, 5, day}, 11), "the " + text + " of May, 2031");
}

// Every calendar day from 1900 to 2099 in every form that names a weekday.
TEST(MakeDates, WeekdaysAreRight) {
  const std::vector<std::string> english = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                            "Thursday", "Friday", "Saturday"};
  const std::vector<std::string> korean = {"일", "월", "화", "수", "목", "금", "토"};
  EXPECT_EQ(weekday_of({2000, 1, 1}), 6);
  EXPECT_EQ(weekday_of({1969, 7, 20}), 0);
  int days = 0;
  for (int year = kFirstYear; year <= kLastYear; ++year)
    for (int month = 1; month <= 12; ++month) {
      const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
      const int length[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
      for (int day = 1; day <= length[month - 1]; ++day, ++days) {
        const Date date{year, month, day};
        const auto weekday = static_cast<size_t>(weekday_of(date));
        ASSERT_TRUE(write_date(date, 1).ends_with(" " + korean[weekday] + "요일"));
        ASSERT_TRUE(write_date(date, 2).ends_with("(" + korean[weekday] + ")"));
        ASSERT_TRUE(write_date(date, 10).starts_with(english[weekday] + ", "));
        ASSERT_TRUE(write_date(date, 12).starts_with(english[weekday].substr(0, 3) + ", "));
        ASSERT_EQ(parse_iso(iso_date(date)), date);
      }
    }
  EXPECT_EQ(days, 73'049);
}

TEST(MakeDates, HeldOutDatesNeverOccurInTraining) {
  for (const uint64_t seed : {0, 1, 42}) {
    std::set<std::string> train, held_out;
    std::map<std::string, int> forms;
    for (const std::string& line : make_dates(40'000, seed, Split::train))
      train.insert(split_line(line).answer);
    for (const std::string& line : make_dates(20'000, seed, Split::held_out))
      held_out.insert(split_line(line).answer);
    std::vector<std::string> both;
    std::set_intersection(train.begin(), train.end(), held_out.begin(), held_out.end(),
                          std::back_inserter(both));
    EXPECT_TRUE(both.empty()) << both.size() << " shared, seed " << seed;
    EXPECT_GT(train.size(), 25'000u);
    for (const std::string& iso : held_out) ASSERT_TRUE(is_held_out(seed, parse_iso(iso)));
    for (const std::string& iso : train) ASSERT_FALSE(is_held_out(seed, parse_iso(iso)));
    // Nearly all held-out dates were drawn: one in ten of 73,049.
    EXPECT_NEAR(static_cast<double>(held_out.size()), 7'305 * 0.935, 300);
  }
}

TEST(MakeDates, LinesAreWhatTheFormsWrite) {
  std::map<int, int> seen;
  for (const std::string& line : make_dates(3'200, 9, Split::train)) {
    const Line parts = split_line(line);
    const Date date = parse_iso(parts.answer);
    ASSERT_GE(date.year, kFirstYear);
    ASSERT_LE(date.year, kLastYear);
    ASSERT_EQ(parts.answer.size(), 10u);
    ASSERT_EQ(utf8::first_invalid(line), std::string::npos);
    int matches = -1;
    for (int form = 0; form < date_form_count() && matches < 0; ++form)
      if (write_date(date, form) == parts.prompt) matches = form;
    ASSERT_GE(matches, 0) << line;
    ++seen[matches];
  }
  ASSERT_EQ(seen.size(), static_cast<size_t>(date_form_count()));
  for (const auto& [form, count] : seen) EXPECT_NEAR(count, 200, 60) << form;
}

TEST(MakeDates, TheSeedDecides) {
  const auto one = make_dates(100, 1, Split::train);
  EXPECT_EQ(make_dates(100, 1, Split::train), one);
  EXPECT_NE(make_dates(100, 2, Split::train), one);
  const auto more = make_dates(150, 1, Split::train);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), more.begin()));
  EXPECT_EQ(one[0], make_dates(1, 1, Split::train)[0]);
  EXPECT_TRUE(make_dates(0, 1, Split::train).empty());
  error_of<UsageError>([] { make_dates(-1, 1, Split::train); });
  error_of<Error>([] { write_date({2031, 2, 29}, 0); });
  error_of<Error>([] { write_date({2031, 13, 1}, 0); });
  error_of<Error>([] { write_date({2031, 5, 9}, date_form_count()); });
}

TEST(MakeSort, AnswersAreSortedPrompts) {
  std::map<size_t, int> lengths;
  for (const Split side : {Split::train, Split::held_out})
    for (const std::string& line : make_sort(2'000, 3, side)) {
      Line parts = split_line(line);
      ASSERT_EQ(parts.prompt.size(), parts.answer.size());
      std::string items;
      for (size_t i = 0; i < parts.prompt.size(); ++i) {
        const char c = parts.prompt[i];
        ASSERT_EQ(c == ' ', i % 2 == 1) << line;
        if (c != ' ') items += c;
      }
      std::sort(items.begin(), items.end());
      std::string answer = parts.answer;
      answer.erase(std::remove(answer.begin(), answer.end(), ' '), answer.end());
      ASSERT_EQ(answer, items) << line;
      ++lengths[items.size()];
    }
  ASSERT_EQ(lengths.size(), 7u);
  for (const auto& [length, count] : lengths) EXPECT_NEAR(count, 4'000 / 7, 120) << length;
}

TEST(MakeSort, HeldOutSetsNeverOccurInTrainingInAnyOrder) {
  const SortOptions options{.shortest = 2, .longest = 3};  // few sets, so that nearly all come
  std::set<std::string> train, held_out;
  for (const std::string& line : make_sort(50'000, 4, Split::train, options))
    train.insert(split_line(line).answer);
  for (const std::string& line : make_sort(5'000, 4, Split::held_out, options))
    held_out.insert(split_line(line).answer);
  for (const std::string& answer : held_out) ASSERT_FALSE(train.contains(answer)) << answer;
  const double share =
      static_cast<double>(held_out.size()) / static_cast<double>(held_out.size() + train.size());
  EXPECT_NEAR(share, 0.1, 0.02);
  for (const std::string& answer : train) ASSERT_FALSE(is_sort_held_out(4, answer));
}

TEST(MakeSort, TheSeedDecides) {
  EXPECT_EQ(make_sort(50, 1, Split::train), make_sort(50, 1, Split::train));
  EXPECT_NE(make_sort(50, 1, Split::train), make_sort(50, 2, Split::train));
  EXPECT_NE(make_sort(50, 1, Split::train), make_sort(50, 1, Split::held_out));
  for (const auto& [shortest, longest] : {std::pair(0, 3), {4, 3}, {1, 1}, {2, 2000}})
    error_of<UsageError>([s = shortest, l = longest] {
      make_sort(1, 1, Split::train, {.shortest = s, .longest = l});
    });
}

}  // namespace
}  // namespace jogak
