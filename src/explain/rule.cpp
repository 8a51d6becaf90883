#include "explain/rule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "explain/arithmetic.h"
#include "explain/rule_functions.h"

namespace jogak {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Rule all() {
    Rule out = sum();
    skip();
    ensure<Error>(at_ == text_.size(), "rule ", text_, ": left over: ", text_.substr(at_));
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void want(std::string_view sign) {
    ensure<Error>(take(sign), "rule ", text_, ": wanted ", sign, " at ", at_);
  }

  static Rule joined(std::string_view sign, Rule left, Rule right) {
    Rule out;
    out.kind = Rule::Kind::binary;
    out.name = sign;
    out.parts = {std::move(left), std::move(right)};
    return out;
  }

  Rule sum() {
    Rule left = product();
    while (true) {
      if (take("+"))
        left = joined("+", std::move(left), product());
      else if (take("-"))
        left = joined("-", std::move(left), product());
      else
        return left;
    }
  }

  Rule product() {
    Rule left = signed_one();
    while (true) {
      skip();
      if (text_.substr(at_).starts_with("**")) return left;
      if (take("*"))
        left = joined("*", std::move(left), signed_one());
      else if (take("/"))
        left = joined("/", std::move(left), signed_one());
      else if (take("@"))
        left = joined("@", std::move(left), signed_one());
      else
        return left;
    }
  }

  Rule signed_one() {
    if (!take("-")) return power();
    Rule out;
    out.kind = Rule::Kind::minus;
    out.parts = {signed_one()};
    return out;
  }

  Rule power() {
    Rule base = tail();
    if (!take("**")) return base;
    return joined("**", std::move(base), signed_one());
  }

  Rule tail() {
    Rule out = single();
    while (true) {
      Rule next;
      if (take(".T")) {
        next.kind = Rule::Kind::transpose;
      } else if (take("[")) {
        next.kind = Rule::Kind::slice;
        range(next.ranges);
        want(",");
        range(next.ranges);
        want("]");
      } else {
        return out;
      }
      next.parts = {std::move(out)};
      out = std::move(next);
    }
  }

  void range(std::vector<int64_t>& out) {
    skip();
    out.push_back(is_digit(text_[at_]) ? static_cast<int64_t>(number()) : 0);
    want(":");
    skip();
    out.push_back(is_digit(text_[at_]) ? static_cast<int64_t>(number()) : -1);
  }

  double number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    ensure<Error>(error == std::errc(), "rule ", text_, ": wanted a number at ", at_);
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  Rule single() {
    skip();
    Rule out;
    ensure<Error>(at_ < text_.size(), "rule ", text_, ": ends too soon");
    if (take("(")) {
      out = sum();
      want(")");
      return out;
    }
    if (!is_letter(text_[at_])) {
      out.number = number();
      return out;
    }
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])))
      out.name += text_[at_++];
    out.kind = Rule::Kind::name;
    if (!take("(")) return out;
    out.kind = Rule::Kind::call;
    do out.parts.push_back(sum());
    while (take(","));
    want(")");
    const size_t wanted = find_rule_function(out.name).arguments;
    ensure<Error>(wanted == 0 || wanted == out.parts.size(), "rule ", text_, ": ", out.name,
                  " takes ", wanted);
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

double combined(char sign, double a, double b) {
  switch (sign) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    default: return std::pow(a, b);
  }
}

Matrix spread(const std::string& sign, const Matrix& a, const Matrix& b) {
  const auto fits = [](int64_t x, int64_t y) { return x == y || x == 1 || y == 1; };
  ensure<ShapeError>(fits(a.rows, b.rows) && fits(a.columns, b.columns), "rule: ", shape_text(a),
                     " ", sign, " ", shape_text(b), " do not fit");
  Matrix out(std::max(a.rows, b.rows), std::max(a.columns, b.columns));
  const char kind = sign == "**" ? '^' : sign[0];
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) = combined(kind, a.at(a.rows == 1 ? 0 : i, a.columns == 1 ? 0 : j),
                              b.at(b.rows == 1 ? 0 : i, b.columns == 1 ? 0 : j));
  return out;
}

Matrix sliced(const Matrix& a, const std::vector<int64_t>& r) {
  const int64_t bottom = r[1] < 0 ? a.rows : r[1], right = r[3] < 0 ? a.columns : r[3];
  ensure<ShapeError>(r[0] < bottom && bottom <= a.rows && r[2] < right && right <= a.columns,
                     "rule: a slice outside of ", shape_text(a));
  Matrix out(bottom - r[0], right - r[2]);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = a.at(r[0] + i, r[2] + j);
  return out;
}

Matrix named(const std::string& name, const Values& values) {
  if (name == "inf") return Matrix(1, 1, std::numeric_limits<double>::infinity());
  if (name == "pi") return Matrix(1, 1, std::numbers::pi);
  const auto found = values.find(name);
  ensure<Error>(found != values.end(), "rule: nothing is called ", name);
  return found->second;
}

}  // namespace

Rule parse_rule(std::string_view text) { return Parser(text).all(); }

Rule with_replaced(const Rule& rule, const std::map<std::string, Rule>& definitions) {
  if (rule.kind == Rule::Kind::name)
    if (const auto found = definitions.find(rule.name); found != definitions.end())
      return found->second;
  Rule out = rule;
  for (Rule& part : out.parts) part = with_replaced(part, definitions);
  return out;
}

Matrix evaluate(const Rule& rule, const Values& values) {
  const auto part = [&](size_t i) { return evaluate(rule.parts[i], values); };
  switch (rule.kind) {
    case Rule::Kind::number: return Matrix(1, 1, rule.number);
    case Rule::Kind::name: return named(rule.name, values);
    case Rule::Kind::minus: return plain::divided(part(0), -1);
    case Rule::Kind::transpose: return transposed(part(0));
    case Rule::Kind::slice: return sliced(part(0), rule.ranges);
    case Rule::Kind::call: {
      std::vector<Matrix> arguments;
      for (size_t i = 0; i < rule.parts.size(); ++i) arguments.push_back(part(i));
      return find_rule_function(rule.name).compute(arguments);
    }
    default: break;
  }
  const Matrix a = part(0), b = part(1);
  if (rule.name != "@") return spread(rule.name, a, b);
  ensure<ShapeError>(a.columns == b.rows, "rule: ", shape_text(a), " @ ", shape_text(b),
                     " do not fit");
  return plain::product(a, b);
}

}  // namespace jogak
