#include "data/make/series.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/error.h"
#include "base/format.h"

namespace jogak {
namespace {

constexpr double kDay = 24, kWeek = 168;

// What one series is made of.
struct Pattern {
  double level, rise, swing, peak, second, weekend;
};

Pattern draw_pattern(Rng rng) {
  Pattern p;
  p.level = 5 + 10 * rng.uniform();
  p.rise = (rng.uniform() - 0.3) * 2e-4;  // an hour
  p.swing = 0.8 + 0.4 * rng.uniform();
  p.peak = kDay * rng.uniform();
  p.second = 0.2 + 0.3 * rng.uniform();  // of the half-day
  p.weekend = 0.3 + 0.4 * rng.uniform();
  return p;
}

double value_at(const Pattern& p, int64_t hour) {
  const double t = static_cast<double>(hour), period = 2 * std::numbers::pi;
  const double day = std::cos(period * (t - p.peak) / kDay);
  const double half = std::cos(period * (t - p.peak / 2) / (kDay / 2));
  const double week = std::cos(period * (t - 60) / kWeek);  // 2020-01-01 was a Wednesday
  return p.level + p.rise * t + p.swing * day + p.second * half + p.weekend * week;
}

std::string date_at(int64_t hour) {
  using namespace std::chrono;
  const sys_days first = year{2020} / January / 1;
  const sys_days day = first + days{hour / 24};
  const year_month_day date(day);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:00:00", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(hour % 24));
  return text;
}

}  // namespace

SeriesPanel make_series(int64_t rows, uint64_t seed, Split split, const SeriesOptions& options) {
  constexpr int64_t kMostRows = 10'000'000;
  ensure<UsageError>(rows >= 1 && rows <= kMostRows, rows,
                     " rows of series asked for, wanted 1 to ", kMostRows);
  ensure<UsageError>(options.series >= 1 && options.series <= 100, options.series,
                     " series asked for, wanted 1 to 100");
  SeriesPanel out;
  const Rng all = rng_for(seed, split);
  std::vector<Pattern> patterns;
  std::vector<Rng> noise;
  for (int64_t i = 0; i < options.series; ++i) {
    out.names.push_back(text_of("series_", i + 1));
    patterns.push_back(draw_pattern(all.split(static_cast<uint64_t>(2 * i))));
    noise.push_back(all.split(static_cast<uint64_t>(2 * i + 1)));
  }
  for (int64_t row = 0; row < rows; ++row) {
    out.dates.push_back(date_at(row));
    for (size_t i = 0; i < patterns.size(); ++i)
      out.values.push_back(
          static_cast<float>(value_at(patterns[i], row) + options.noise * noise[i].normal()));
  }
  return out;
}

std::vector<std::string> series_csv(const SeriesPanel& panel) {
  std::vector<std::string> out;
  std::string line = "date";
  for (const std::string& name : panel.names) line += "," + name;
  out.push_back(std::move(line));
  size_t at = 0;
  for (const std::string& date : panel.dates) {
    line = date;
    for (size_t i = 0; i < panel.names.size(); ++i)
      line += "," + fixed(double{panel.values[at++]}, 4);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace jogak
