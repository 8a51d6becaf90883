#include "tests/explain/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <numbers>
#include <stdexcept>

namespace jogak::test {
namespace {

constexpr int kRoundedFrom = 4;  // tables round to 4, 6 or 7 places; users' numbers have fewer

Interval hull(std::initializer_list<long double> values) {
  return {std::min(values), std::max(values)};
}

class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : text_(text) {}

  Interval all() {
    const Interval value = sum();
    skip_space();
    if (at_ != text_.size())
      throw std::runtime_error("left over: " + std::string(text_.substr(at_)));
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view sign) {
    skip_space();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  Interval sum() {
    Interval a = products();
    while (true) {
      if (take("+")) {
        const Interval b = products();
        a = {a.low + b.low, a.high + b.high};
      } else if (take("-")) {
        const Interval b = products();
        a = {a.low - b.high, a.high - b.low};
      } else {
        return a;
      }
    }
  }

  Interval products() {
    Interval a = power();
    while (true) {
      if (take("·")) {
        const Interval b = power();
        a = hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      } else if (take("/")) {
        const Interval b = power();
        if (b.low <= 0 && b.high >= 0) throw std::runtime_error("division by zero");
        a = hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
      } else {
        return a;
      }
    }
  }

  Interval power() {
    if (take("-")) {
      const Interval a = power();
      return {-a.high, -a.low};
    }
    const Interval a = single();
    if (!take("^")) return a;
    const Interval b = single();
    return hull({std::pow(a.low, b.low), std::pow(a.high, b.high)});
  }

  Interval group() {
    if (!take("(")) throw std::runtime_error("wanted '('");
    const Interval value = sum();
    if (!take(")")) throw std::runtime_error("wanted ')'");
    return value;
  }

  Interval most(bool largest) {
    if (!take("(")) throw std::runtime_error("wanted '('");
    Interval value = sum();
    while (take(",")) {
      const Interval other = sum();
      value = largest ? Interval{std::max(value.low, other.low), std::max(value.high, other.high)}
                      : Interval{std::min(value.low, other.low), std::min(value.high, other.high)};
    }
    if (!take(")")) throw std::runtime_error("wanted ')'");
    return value;
  }

  // Sine and cosine move at most as much as their angle.
  static Interval around(long double middle, const Interval& angle) {
    const long double slack = (angle.high - angle.low) / 2;
    return {middle - slack, middle + slack};
  }

  Interval single() {
    if (take("exp")) {
      const Interval x = group();
      return {std::exp(x.low), std::exp(x.high)};
    }
    if (take("max")) return most(true);
    if (take("min")) return most(false);
    if (take("abs")) {
      const Interval x = group();
      const long double low = std::abs(x.low), high = std::abs(x.high);
      return {x.low <= 0 && x.high >= 0 ? 0 : std::min(low, high), std::max(low, high)};
    }
    if (take("tanh")) {
      const Interval x = group();
      return {std::tanh(x.low), std::tanh(x.high)};
    }
    if (take("erf")) {
      const Interval x = group();
      return {std::erf(x.low), std::erf(x.high)};
    }
    if (take("log")) {
      const Interval x = group();
      return {std::log(x.low), std::log(x.high)};
    }
    if (take("√")) {
      const Interval x = group();
      return {std::sqrt(x.low), std::sqrt(x.high)};
    }
    if (take("sin")) {
      const Interval x = group();
      return around(std::sin((x.low + x.high) / 2), x);
    }
    if (take("cos")) {
      const Interval x = group();
      return around(std::cos((x.low + x.high) / 2), x);
    }
    if (take("π")) return {std::numbers::pi_v<long double>, std::numbers::pi_v<long double>};
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return group();
    return number();
  }

  Interval number() {
    size_t end = at_;
    if (end < text_.size() && text_[end] == '-') ++end;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool exponent_sign = (c == '-' || c == '+') && text_[end - 1] == 'e';
      if (!(c >= '0' && c <= '9') && c != '.' && c != 'e' && !exponent_sign) break;
      ++end;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    at_ = end;
    return printed_interval(token);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Interval printed_interval(std::string_view token) {
  const std::string number(token);
  char* end = nullptr;
  const long double value = std::strtold(number.c_str(), &end);
  if (number.empty() || *end) throw std::runtime_error("not a number: '" + number + "'");
  const size_t e = number.find('e');
  const size_t point = number.find('.');
  const std::string mantissa = number.substr(0, e);
  const int places = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  if (places < kRoundedFrom) return {value, value};
  const int exponent = e == std::string::npos ? 0 : std::atoi(number.c_str() + e + 1);
  const long double half = 0.5L * std::pow(10.0L, exponent - places);
  return {value - half, value + half};
}

std::string check_work(std::string_view line) {
  const size_t equals = line.rfind(" = ");
  if (equals == std::string_view::npos) return "no '='";
  std::string_view left = line.substr(0, equals);
  const size_t before = left.rfind(" = ");
  if (before != std::string_view::npos) left = left.substr(before + 3);
  try {
    const Interval computed = Evaluator(left).all();
    const Interval claimed = printed_interval(line.substr(equals + 3));
    const long double slack = 1e-9L * std::max(1.0L, std::abs(computed.high));
    const bool meet = computed.low <= claimed.high + slack && claimed.low <= computed.high + slack;
    if (meet) return "";
    return "gives " + std::to_string(computed.low) + " to " + std::to_string(computed.high);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace jogak::test
