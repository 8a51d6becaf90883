#include "app/use/forecaster.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/use/forward.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

double measured(int64_t row, int64_t column) {
  return 20 + std::sin(static_cast<double>(row) / 4 + static_cast<double>(column)) +
         0.1 * static_cast<double>(row * (column + 1) % 7);
}

class ForecastTest : public testing::Test {
 protected:
  TempDir dir;
  const std::string three = test::golden_dir("patchtst-a");  // 3 series, 22 seen, 6 predicted
  const std::string one = test::golden_dir("patchtst-g");    // 1 series, 9 seen, 6 predicted

  std::string csv(int64_t rows, int64_t columns) {
    std::string text = "date";
    for (int64_t c = 0; c < columns; ++c) text += text_of(",s", c);
    for (int64_t r = 0; r < rows; ++r) {
      text += text_of("\n2031-05-", r / 24 + 10, " ", r % 24 / 10, r % 24 % 10, ":00");
      for (int64_t c = 0; c < columns; ++c) text += text_of(",", measured(r, c));
    }
    write_file(dir / "in.csv", text + "\n");
    return dir / "in.csv";
  }

  // The bare model on `context` rows that end before `end`, then on what it said.
  static std::vector<float> alone(const std::string& model, int64_t context, int64_t columns,
                                  const std::vector<float>& seen) {
    const Model m = open_model(model);
    jogak::Run run;
    const Tensor past = from_values(seen, {1, context, columns});
    return to_host<float>(forward(m, ForwardInputs({{"past_values", past}}), run).named[0].second);
  }

  static std::vector<float> window(int64_t from, int64_t rows, int64_t columns) {
    std::vector<float> out;
    for (int64_t r = from; r < from + rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        std::stringstream as_written;
        as_written << measured(r, c);
        out.push_back(std::stof(as_written.str()));
      }
    return out;
  }
};

TEST_F(ForecastTest, IsWhatTheModelSaysOfTheLastRows) {
  const Forecast got = Forecaster(three).forecast(csv(40, 3));
  const auto wanted = alone(three, 22, 3, window(18, 22, 3));
  ASSERT_EQ(got.panels.at(0).size(), 3u);
  ASSERT_EQ(got.dates.at(0).size(), 6u);
  EXPECT_EQ(got.dates[0][0], "2031-05-11 16:00");
  EXPECT_EQ(got.dates[0][5], "2031-05-11 21:00");
  for (size_t s = 0; s < 3; ++s)
    for (size_t t = 0; t < 6; ++t)
      EXPECT_NEAR(got.panels[0][s].values[t], wanted[t * 3 + s], 1e-5) << s << " " << t;
  EXPECT_EQ(got.panels[0][1].curve.past.size(), 22u);
  const std::string text = forecast_csv(got);
  EXPECT_TRUE(text.starts_with("date,s0,s1,s2\n2031-05-11 16:00,")) << text;
}

TEST_F(ForecastTest, GoesOnFromWhatItSaid) {
  const Forecast got = Forecaster(three).forecast(csv(40, 3), {.horizon = 9});
  auto seen = window(18, 22, 3);
  const auto first = alone(three, 22, 3, seen);
  seen.insert(seen.end(), first.begin(), first.end());
  seen.erase(seen.begin(), seen.begin() + 18);
  const auto second = alone(three, 22, 3, seen);
  ASSERT_EQ(got.panels[0][0].values.size(), 9u);
  for (size_t t = 0; t < 3; ++t)
    EXPECT_NEAR(got.panels[0][2].values[6 + t], second[t * 3 + 2], 1e-4) << t;
}

TEST_F(ForecastTest, SeriesGoToTheSizeTheyWereLearntIn) {
  const std::string copy = dir / "model";
  std::filesystem::copy(three, copy);
  const Forecast plain = Forecaster(copy).forecast(csv(40, 3));
  write_file(copy + "/series.json",
             R"({"series": ["s0", "s1", "s2"], "mean": [19, 21, 20], "std": [0.7, 2, 1.5]})");
  const Forecast sized = Forecaster(copy).forecast(dir / "in.csv");
  for (size_t s = 0; s < 3; ++s)  // this model scales each window itself: the size goes out again
    for (size_t t = 0; t < 6; ++t)
      EXPECT_NEAR(sized.panels[0][s].values[t], plain.panels[0][s].values[t], 1e-3);
  write_file(copy + "/series.json", R"({"series": ["a"], "mean": [0], "std": [1]})");
  EXPECT_NE(error_of<FormatError>([&] {
              Forecaster(copy).forecast(dir / "in.csv");
            }).find("has no series named \"s0\""),
            std::string::npos);
}

TEST_F(ForecastTest, AModelOfOneSeriesRunsOnEach) {
  const Forecast wide = Forecaster(one).forecast(csv(30, 2));
  std::string text = "unique_id,ds,y\n";
  for (int64_t c = 0; c < 2; ++c)
    for (int64_t r = 0; r < 30; ++r) text += text_of("n", c, ",", r, ",", measured(r, c), "\n");
  write_file(dir / "long.csv", text);
  const Forecast tall = Forecaster(one).forecast(dir / "long.csv");
  ASSERT_EQ(tall.panels.size(), 2u);
  for (size_t s = 0; s < 2; ++s)
    for (size_t t = 0; t < 6; ++t)
      EXPECT_NEAR(wide.panels[0][s].values[t], tall.panels[s][0].values[t], 1e-5);
  EXPECT_TRUE(forecast_csv(tall).starts_with("unique_id,ds,y\nn0,30,")) << forecast_csv(tall);
  EXPECT_NE(forecast_csv(tall).find("\nn1,35,"), std::string::npos);
}

// As transformers: a series that began later than the model looks back is known from there on.
TEST_F(ForecastTest, ASeriesMayBeShorterThanWhatTheModelReads) {
  for (const std::string name : {"timesfm-b", "timesfm-c"}) {  // row 1 of each begins late
    const std::string model = test::golden_dir(name);
    const SafetensorsFile golden(model + "/golden.safetensors");
    const auto past = to_host<float>(golden.get("past_values"));
    const auto seen = to_host<uint8_t>(golden.get("past_observed_mask"));
    const auto wanted = to_host<float>(golden.get("prediction_outputs"));
    const auto T = static_cast<size_t>(golden.get("past_values").dim(1));
    std::ostringstream text;
    text.precision(9);
    text << "date,s";
    for (size_t t = 0; t < T; ++t)
      if (seen[T + t]) text << "\n2031-05-" << t + 10 << "," << past[T + t];
    write_file(dir / "short.csv", text.str() + "\n");
    const Forecast got = Forecaster(model).forecast(dir / "short.csv");
    const std::vector<double>& said = got.panels.at(0).at(0).values;
    for (size_t t = 0; t < said.size(); ++t)
      EXPECT_NEAR(said[t], wanted[said.size() + t], 1e-4) << name << " " << t;
    EXPECT_LT(got.panels[0][0].curve.past.size(), T);
  }
}

TEST_F(ForecastTest, QuantilesAreThoseOfPastErrors) {
  const Forecast got =
      Forecaster(three).forecast(csv(60, 3), {.horizon = 2, .quantiles = {0.9, 0, 0.5, 1}});
  EXPECT_EQ(got.windows, 37) << "60 rows less 22 seen and 2 predicted, and one";
  // The largest error of the first step, by hand.
  double most = -INFINITY;
  for (int64_t end = 22; end <= 58; ++end)
    most = std::max(most,
                    window(end, 1, 3)[1] - double{alone(three, 22, 3, window(end - 22, 22, 3))[1]});
  const SeriesForecast& s = got.panels[0][1];
  ASSERT_EQ(s.quantiles.size(), 4u);
  EXPECT_NEAR(s.quantiles[3][0], s.values[0] + most, 1e-4);
  for (size_t q = 1; q < 4; ++q)
    for (size_t t = 0; t < 2; ++t) EXPECT_GE(s.quantiles[q][t], s.quantiles[q - 1][t]);
  EXPECT_TRUE(forecast_csv(got).starts_with("date,s0,s0@0,s0@0.5,s0@0.9,s0@1,s1,"))
      << forecast_csv(got);
  EXPECT_EQ(got.quantiles, (std::vector<double>{0, 0.5, 0.9, 1}));
}

TEST_F(ForecastTest, WhatDoesNotFitIsNamed) {
  const auto refused = [&](const std::string& model, const std::string& file,
                           std::vector<double> quantiles = {}) {
    return error_of<FormatError>(
        [&] { Forecaster(model).forecast(file, {.quantiles = std::move(quantiles)}); });
  };
  EXPECT_NE(refused(three, csv(21, 3)).find("has 21 rows, the model reads 22"), std::string::npos);
  EXPECT_NE(refused(three, csv(40, 2)).find("has 2 series, the model was made for 3"),
            std::string::npos);
  EXPECT_NE(refused(three, csv(46, 3), {0.5}).find("which needs 47 rows"), std::string::npos);
  EXPECT_NE(refused(test::golden_dir("vit-a"), csv(40, 3)).find("jogak classify runs this one"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
