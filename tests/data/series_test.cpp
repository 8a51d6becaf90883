#include "data/series_data.h"

#include <cmath>

#include "data/make/series.h"
#include "data/series_rows.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::write_plain;

SeriesFile read(const std::string& text, const SeriesColumns& columns = {}) {
  const TempDir dir;
  write_plain(dir / "s.csv", text);
  return read_series(dir / "s.csv", columns);
}

std::string series_refusal(const std::string& text, const SeriesColumns& columns = {}) {
  const std::string message = error_of<FormatError>([&] { read(text, columns); });
  return message.substr(message.find("s.csv: ") + 7);
}

TEST(Series, WideAndLongLayouts) {
  const SeriesFile wide = read("date,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n");
  ASSERT_EQ(wide.panels.size(), 1u);
  EXPECT_EQ(wide.panels[0].names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(wide.panels[0].values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_FALSE(wide.long_layout);
  const SeriesFile some = read("a,time,b\n1,9,2\n3,10,4\n", {.date = "time", .series = {"b"}});
  EXPECT_EQ(some.panels[0].values, (std::vector<float>{2, 4}));
  const SeriesFile tall = read("unique_id,ds,y\nx,1,5\nz,1,7\nx,2,6\n");
  ASSERT_EQ(tall.panels.size(), 2u);
  EXPECT_EQ(tall.panels[0].values, (std::vector<float>{5, 6}));
  EXPECT_EQ(tall.panels[1].names[0], "z");
  EXPECT_TRUE(tall.long_layout);
}

// What warnings a reading writes.
std::string told(const std::string& text, const SeriesColumns& columns = {}) {
  testing::internal::CaptureStderr();
  read(text, columns);
  return testing::internal::GetCapturedStderr();
}

TEST(Series, MissingValuesAreFilledAndTold) {
  const std::string text = "date,a,b\n1,,2\n2,1,NA\n3, ,nan\n4,N/A,8\n5,4,null\n";
  const auto values = [&](Missing missing) {
    return read(text, {.missing = missing}).panels[0].values;
  };
  EXPECT_EQ(values(Missing::ffill), (std::vector<float>{1, 2, 1, 2, 1, 2, 1, 8, 4, 8}));
  EXPECT_EQ(values(Missing::linear), (std::vector<float>{1, 2, 1, 4, 2, 6, 3, 8, 4, 8}));
  EXPECT_EQ(series_refusal(text, {.missing = Missing::refuse}),
            "line 2 column \"a\": found nothing, wanted a finite number");
  EXPECT_NE(told(text).find("6 missing values filled forward (data.missing = \"ffill\"), the first "
                            "in line 2 column \"a\""),
            std::string::npos);
  EXPECT_EQ(told("date,a\n1,1\n2,3\n"), "");
  EXPECT_EQ(read("unique_id,ds,y\nx,1,5\nz,1,7\nx,2,\n").panels[0].values,
            (std::vector<float>{5, 5}));
}

TEST(Series, GapsInTheDatesAreTold) {
  EXPECT_EQ(told("date,a\n1,1\n2,1\n"), "");
  const std::string gaps = told(
      "date,a\n2031-03-01,1\n2031-03-02,1\n2031-03-03,1\n2031-03-07,1\n2031-03-08,1\n2031-03-11,"
      "1\n");
  EXPECT_NE(gaps.find("2 gaps in the dates, rows are taken as if there were none; the first before "
                      "line 5, \"2031-03-07\" after \"2031-03-03\""),
            std::string::npos)
      << gaps;
  EXPECT_EQ(told("date,a\nJan 2031,1\nFeb 2031,1\nMar 2031,1\n"), "") << "months are steps";
}

TEST(Series, DatesAreComparedWhereThatCanBeTold) {
  EXPECT_EQ(compare_dates("2020-01-02", "2020-01-10"), -1);
  EXPECT_EQ(compare_dates("2016/7/1 10:00", "2016/7/1 9:45"), 1);
  EXPECT_EQ(compare_dates("9", "10"), -1);
  EXPECT_EQ(compare_dates("1.5", "1.25"), 1);
  EXPECT_EQ(compare_dates("a", "a"), 0);
  EXPECT_EQ(compare_dates("01/02/2020", "05/01/2020"), 2);  // day or month first?
}

TEST(SeriesErrors, EachNamesItsPlace) {
  EXPECT_EQ(series_refusal(""), "found nothing, wanted a header and rows");
  EXPECT_EQ(series_refusal("date,a\n"), "found a header and no rows, wanted measurements");
  EXPECT_EQ(series_refusal("date\n2020\n"),
            "line 1: found a column of dates alone, wanted series beside it");
  EXPECT_EQ(series_refusal("date,a,b\n2020-01-01,1\n"),
            "line 2: found 2 cells, wanted 3 as in the first row");
  for (const char* cell : {"abc", "1e400", "nan", "inf", "\"1,5\"", "", "1e39"})
    EXPECT_TRUE(series_refusal(std::string("date,a\n2020-01-01,") + cell + "\n",
                               {.missing = Missing::refuse})
                    .starts_with("line 2 column \"a\": found"))
        << cell;
  EXPECT_EQ(series_refusal("date,a\n2020-01-02,1\n2020-01-01,2\n"),
            "line 3: found the date \"2020-01-01\" after \"2020-01-02\", wanted a later one");
  EXPECT_EQ(series_refusal("date,a\n30/01/2020,1\n31/01/2020,2\n01/01/2020,2\n"),
            "line 4: found the date \"01/01/2020\" after \"31/01/2020\", wanted a later one");
  EXPECT_EQ(series_refusal("date,a,b\n1,2,NA\n2,3,\n"),
            "column \"b\": found no value at all, wanted numbers");
  EXPECT_EQ(error_of<UsageError>([] { missing_named("drop"); }),
            "data.missing is \"drop\", wanted refuse, ffill or linear");
  EXPECT_EQ(series_refusal("date,a\nMonday,1\nMonday,2\n"),
            "line 3: found the date \"Monday\" after \"Monday\", wanted a later one");
  EXPECT_EQ(series_refusal("date,a,a\n1,2,3\n"),
            "line 1: found column \"a\" twice, wanted names that differ");
  EXPECT_NE(error_of<MissingError>([] { read("when,a\n1,2\n"); }).find("no column \"date\""),
            std::string::npos);
  error_of<MissingError>([] { read("date,a\n1,2\n", {.series = {"b"}}); });
  EXPECT_EQ(series_refusal("unique_id,ds,y\nx,2,1\nx,1,1\n"),
            "line 3: found the date \"1\" after \"2\", wanted a later one");
}

SeriesFile counted(int64_t rows, int64_t columns) {  // value: row + 1000 * column
  SeriesPanel panel;
  for (int64_t c = 0; c < columns; ++c) panel.names.push_back(text_of("c", c));
  for (int64_t r = 0; r < rows; ++r) {
    panel.dates.push_back(text_of(r));
    for (int64_t c = 0; c < columns; ++c) panel.values.push_back(static_cast<float>(r + 1000 * c));
  }
  return {"s.csv", {panel}, false};
}

TEST(SeriesData, WindowsOfEachPartAreThoseOfTheBenchmarks) {
  // ETTh: 12, 4 and 4 months of 30 days, look-back 336, horizon 96.
  const SeriesData ett(counted(17420, 1), {336, 96, {8640, 2880, 2880}});
  EXPECT_EQ(ett.windows(SeriesPart::train), 8640 - 336 - 96 + 1);
  EXPECT_EQ(ett.windows(SeriesPart::valid), 2880 - 96 + 1);
  EXPECT_EQ(ett.windows(SeriesPart::test), 2880 - 96 + 1);
  const SeriesData shares(counted(100, 2), {5, 3, {}});
  EXPECT_EQ(shares.windows(SeriesPart::train), 70 - 8 + 1);
  EXPECT_EQ(shares.windows(SeriesPart::valid), 10 - 3 + 1);
  EXPECT_EQ(shares.windows(SeriesPart::test), 20 - 3 + 1);
}

TEST(SeriesData, ValuesAreStandardisedByTheTrainingRows) {
  const SeriesData data(counted(100, 2), {5, 3, {}});
  EXPECT_DOUBLE_EQ(data.scaler().mean[0], 34.5);
  EXPECT_DOUBLE_EQ(data.scaler().mean[1], 1034.5);
  const double deviation = std::sqrt((70.0 * 70 - 1) / 12);
  EXPECT_NEAR(data.scaler().deviation[0], deviation, 1e-9);
  const SeriesBatch batch = data.eval_batch(SeriesPart::test, 0, 2);
  EXPECT_EQ(batch.past.shape(), (Shape{2, 5, 2}));
  EXPECT_EQ(batch.values, 2 * 3 * 2);
  const auto past = to_host<float>(batch.past), future = to_host<float>(batch.future);
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(past[c], (75 - 34.5) / deviation, 1e-6);        // five rows before the part
    EXPECT_NEAR(future[c], (80 - 34.5) / deviation, 1e-6);      // its first row
    EXPECT_NEAR(future[6 + c], (81 - 34.5) / deviation, 1e-6);  // the next window's
  }
  const Json kept = to_json(data.scaler(), data.borders());
  const SeriesScaler again = read_scaler(parse_json(kept.dump(), "k"), "k");
  EXPECT_EQ(again.mean, data.scaler().mean);
  EXPECT_EQ(again.deviation, data.scaler().deviation);
  const SeriesData later(counted(100, 2), {5, 3, {}}, &again);
  EXPECT_EQ(to_host<float>(later.eval_batch(SeriesPart::test, 0, 2).past), past);
  expect_error<FormatError>(
      [&] {
        SeriesData(counted(100, 1), {5, 3, {}}, &again);
      },
      "s.csv: series 2: found nothing more, wanted c1 as the model was "
      "trained on");
}

TEST(SeriesData, LongLayoutsGiveWindowsOfEverySeries) {
  const SeriesData data(read("unique_id,ds,y\na,1,1\na,2,2\na,3,3\na,4,4\nb,1,9\nb,2,8\nb,3,7\n"
                             "b,4,5\nb,5,4\nb,6,3\n"),
                        {1, 1, {2, 1, 1}});
  EXPECT_EQ(data.windows(SeriesPart::train), 2);
  EXPECT_EQ(data.windows(SeriesPart::test), 2);
  EXPECT_EQ(data.series(), 1);
  EXPECT_EQ(data.eval_batch(SeriesPart::train, 0, 9).past.shape(), (Shape{2, 1, 1}));
}

TEST(SeriesData, AConstantSeriesKeepsItsSize) {
  SeriesFile file = counted(50, 1);
  for (float& value : file.panels[0].values) value = 3;
  const SeriesData data(file, {5, 3, {}});
  EXPECT_EQ(data.scaler().deviation[0], 1);
  for (const float value : to_host<float>(data.eval_batch(SeriesPart::train, 0, 3).past))
    EXPECT_EQ(value, 0);
}

TEST(SeriesDataErrors, TooFewRowsSayHowMany) {
  expect_error<FormatError>(
      [] {
        SeriesData(counted(50, 1), {5, 3, {40, 10, 10}});
      },
      "s.csv: found 50 rows, wanted 60 for 40 to train on, 10 to validate with and 10 to test");
  const SeriesData few(counted(10, 1), {8, 4, {}});
  expect_error<FormatError>([&] { few.windows(SeriesPart::train); },
                            "s.csv: found 10 rows, too few for one window of 8 rows and 4 more in "
                            "the training part");
}

TEST(MakeSeries, TheSameForTheSameSeedAndItReadsBack) {
  const SeriesPanel a = make_series(100, 1, Split::train), b = make_series(200, 1, Split::train);
  EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin()));
  EXPECT_NE(make_series(100, 2, Split::train).values, a.values);
  EXPECT_NE(make_series(100, 1, Split::held_out).values, a.values);
  EXPECT_EQ(a.dates[25], "2020-01-02 01:00:00");
  std::string text;
  for (const std::string& line : series_csv(a)) text += line + "\n";
  const SeriesFile file = read(text);
  EXPECT_EQ(file.panels[0].names, a.names);
  for (size_t i = 0; i < a.values.size(); ++i)
    EXPECT_NEAR(file.panels[0].values[i], a.values[i], 6e-5);
}

}  // namespace
}  // namespace jogak
