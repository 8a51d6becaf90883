#include "draw/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace jogak {
namespace {

constexpr double kNoise = 1e-12, kLargestFixed = 1e7, kLargestWhole = 1e15;
constexpr int kMostDecimals = 8;  // a user's numbers with more are written one by one

bool is_whole(double x) { return std::abs(x) < kLargestWhole && x == std::floor(x); }

std::string printed(double x, std::chars_format format, int precision) {
  char buffer[64];  // |x| below 1e15 in fixed form, or an exponent: never longer
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, format, precision).ptr;
  return std::string(buffer, end);
}

std::string as_fixed(double x, int digits) {
  return printed(x + 0.0, std::chars_format::fixed, digits);  // + 0.0: no "-0"
}

std::string special_text(double x) {
  if (std::isnan(x)) return "NaN";
  return x > 0 ? "∞" : "-∞";
}

int decimals(const std::string& text) {
  if (text.find('e') != std::string::npos) return kMostDecimals + 1;
  const size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

}  // namespace

std::string fixed_text(double x, int digits) {
  if (!std::isfinite(x)) return special_text(x);
  const double size = std::abs(x);
  const bool small = size >= kNoise && size < std::pow(10.0, 1 - digits);
  if (small || (size >= kLargestFixed && !is_whole(x)))
    return printed(x, std::chars_format::scientific, 5);
  return as_fixed(size < kNoise ? 0.0 : x, digits);
}

std::string plain_text(double x, int digits) {
  return is_whole(x) ? as_fixed(x, 0) : fixed_text(x, digits);
}

std::string short_text(double x) {
  const double size = std::abs(x);
  if (size < 0.01 && size >= kNoise) return printed(x, std::chars_format::general, 2);
  return plain_text(x, 3);
}

std::string scale_text(double x) {
  return std::isfinite(x) ? printed(x + 0.0, std::chars_format::general, 4) : special_text(x);
}

std::string exact_text(double x) {
  if (!std::isfinite(x)) return special_text(x);
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x + 0.0).ptr;
  return std::string(buffer, end);
}

std::vector<std::string> cell_texts(const Matrix& table, int digits) {
  const std::vector<double>& values = table.values;
  const bool whole = std::all_of(values.begin(), values.end(),
                                 [](double x) { return !std::isfinite(x) || is_whole(x); });
  int given = 0;
  if (digits == kAsGiven)
    for (const double x : values) given = std::max(given, decimals(exact_text(x)));
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const double x : values) {
    if (!std::isfinite(x))
      out.push_back(special_text(x));
    else if (whole)
      out.push_back(plain_text(x));
    else if (digits != kAsGiven)
      out.push_back(fixed_text(x, digits));
    else if (given <= kMostDecimals)
      out.push_back(as_fixed(x, given));
    else
      out.push_back(exact_text(x));
  }
  return out;
}

}  // namespace jogak
