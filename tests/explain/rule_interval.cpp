#include "tests/explain/rule_interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace jogak::test {
namespace {

using Long = long double;

Intervals sized(int64_t rows, int64_t columns) {
  return {rows, columns, std::vector<Interval>(static_cast<size_t>(rows * columns))};
}

Interval hull(std::initializer_list<Long> values) { return {std::min(values), std::max(values)}; }

Interval product(const Interval& a, const Interval& b) {
  return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

Interval power(const Interval& a, const Interval& b) {
  if (b.low == 0 && b.high == 0) return {1, 1};  // of 0 too
  const bool even = b.low == b.high && std::fmod(b.low, 2.0L) == 0;
  if (even && a.low <= 0 && a.high >= 0)
    return {0, std::max(std::pow(a.low, b.low), std::pow(a.high, b.low))};
  return hull({std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low),
               std::pow(a.high, b.high)});
}

Interval combined(const std::string& sign, const Interval& a, const Interval& b) {
  if (sign == "+") return {a.low + b.low, a.high + b.high};
  if (sign == "-") return {a.low - b.high, a.high - b.low};
  if (sign == "*") return product(a, b);
  if (sign == "**") return power(a, b);
  if (b.low <= 0 && b.high >= 0) throw std::runtime_error("division by zero");
  return hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

// A square is never negative, which a product of two equal intervals does not know.
bool same(const Rule& a, const Rule& b) { return rule_text(a) == rule_text(b); }

Interval wave(Long (*f)(Long), const Interval& x) {  // moves at most as much as its angle
  const Long middle = f((x.low + x.high) / 2), slack = (x.high - x.low) / 2;
  return {middle - slack, middle + slack};
}

Interval growing(Long (*f)(Long), const Interval& x) { return {f(x.low), f(x.high)}; }

Interval single(const std::string& name, const Interval& x) {
  if (name == "exp") return growing([](Long v) { return std::exp(v); }, x);
  if (name == "log") return growing([](Long v) { return std::log(std::max(v, 0.0L)); }, x);
  if (name == "sqrt") return growing([](Long v) { return std::sqrt(std::max(v, 0.0L)); }, x);
  if (name == "tanh") return growing([](Long v) { return std::tanh(v); }, x);
  if (name == "erf") return growing([](Long v) { return std::erf(v); }, x);
  if (name == "relu") return growing([](Long v) { return std::max(v, 0.0L); }, x);
  if (name == "positive") return growing([](Long v) { return v > 0 ? 1.0L : 0.0L; }, x);
  if (name == "sin") return wave([](Long v) { return std::sin(v); }, x);
  if (name == "cos") return wave([](Long v) { return std::cos(v); }, x);
  if (name == "abs") {
    const bool through = x.low <= 0 && x.high >= 0;
    const Long a = std::abs(x.low), b = std::abs(x.high);
    return {through ? 0 : std::min(a, b), std::max(a, b)};
  }
  throw std::runtime_error("no interval of " + name);
}

// Share i is smallest when its own score is lowest and the others are highest.
Intervals softmax(const Intervals& x) {
  Intervals out = sized(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j) {
      if (std::isinf(x.at(i, j).low)) {
        out.at(i, j) = {0, 0};
        continue;
      }
      Long most = 1, least = 1;
      for (int64_t c = x.columns; c-- > 0;) {
        if (c == j || std::isinf(x.at(i, c).low)) continue;
        most += std::exp(x.at(i, c).high - x.at(i, j).low);
        least += std::exp(x.at(i, c).low - x.at(i, j).high);
      }
      out.at(i, j) = {1 / most, 1 / least};
    }
  return out;
}

Intervals folded(const std::string& name, const Intervals& x) {
  const bool by_row = name.starts_with("row_"), by_column = name.starts_with("column_");
  Intervals out = sized(by_row ? x.rows : 1, by_column ? x.columns : 1);
  const bool largest = name.ends_with("max");
  if (largest)
    for (Interval& one : out.values) one = {-INFINITY, -INFINITY};
  for (int64_t i = x.rows; i-- > 0;)
    for (int64_t j = x.columns; j-- > 0;) {
      Interval& to = out.at(by_row ? i : 0, by_column ? j : 0);
      const Interval& one = x.at(i, j);
      to = largest ? Interval{std::max(to.low, one.low), std::max(to.high, one.high)}
                   : Interval{to.low + one.low, to.high + one.high};
    }
  if (name.ends_with("mean")) {
    const Long count = Long(x.values.size()) / Long(out.values.size());
    for (Interval& one : out.values) one = {one.low / count, one.high / count};
  }
  return out;
}

Intervals put_together(const std::vector<Intervals>& parts, bool side_by_side) {
  Intervals out = sized(0, 0);
  for (const Intervals& part : parts) {
    out.rows = side_by_side ? part.rows : out.rows + part.rows;
    out.columns = side_by_side ? out.columns + part.columns : part.columns;
  }
  out.values.resize(static_cast<size_t>(out.rows * out.columns));
  int64_t from = 0;
  for (const Intervals& part : parts) {
    for (int64_t i = 0; i < part.rows; ++i)
      for (int64_t j = 0; j < part.columns; ++j)
        (side_by_side ? out.at(i, from + j) : out.at(from + i, j)) = part.at(i, j);
    from += side_by_side ? part.columns : part.rows;
  }
  return out;
}

Intervals medians(const Intervals& x) {
  Intervals out = sized(x.rows, 1);
  for (int64_t i = 0; i < x.rows; ++i) {
    std::vector<Long> low, high;
    for (int64_t j = 0; j < x.columns; ++j) {
      low.push_back(x.at(i, j).low);
      high.push_back(x.at(i, j).high);
    }
    const auto middle = [](std::vector<Long>& all) {
      std::sort(all.begin(), all.end());
      return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    };
    out.at(i, 0) = {middle(low), middle(high)};
  }
  return out;
}

Intervals call(const std::string& name, const std::vector<Intervals>& parts) {
  const Intervals& x = parts[0];
  if (name.ends_with("softmax")) return softmax(x);
  if (name == "identity") {
    Intervals out = sized(x.columns, x.columns);
    for (int64_t i = 0; i < out.rows; ++i) out.at(i, i) = {1, 1};
    return out;
  }
  if (name == "count") {
    Intervals out = sized(1, static_cast<int64_t>(x.values[0].low));
    for (int64_t j = 0; j < out.columns; ++j) out.at(0, j) = {Long(j), Long(j)};
    return out;
  }
  if (name == "interleave") {
    Intervals out = sized(x.rows, 2 * x.columns);
    for (int64_t i = 0; i < x.rows; ++i)
      for (int64_t j = 0; j < x.columns; ++j) {
        out.at(i, 2 * j) = x.at(i, j);
        out.at(i, 2 * j + 1) = parts[1].at(i, j);
      }
    return out;
  }
  if (name == "repeat") {
    Intervals out = sized(parts[1].rows, x.columns);
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = x.at(0, j);
    return out;
  }
  if (name == "row_median") return medians(x);
  if (name == "diagonal_sum") {
    Intervals out{1, 1, {{0, 0}}};
    const auto offset = static_cast<int64_t>(parts[1].values[0].low);
    for (int64_t i = x.rows; i-- > 0;)
      for (int64_t j = x.columns; j-- > 0;)
        if (j - i == offset) out.values[0] = combined("+", out.values[0], x.at(i, j));
    return out;
  }
  if (name == "pick") {
    Intervals out = sized(x.rows, x.columns);
    for (int64_t i = 0; i < x.rows; ++i) {
      int64_t top = 0;
      for (int64_t j = 1; j < x.columns; ++j)
        if (x.at(i, j).low > x.at(i, top).low) top = j;
      for (int64_t j = 0; j < x.columns; ++j) out.at(i, j) = {Long(j == top), Long(j == top)};
    }
    return out;
  }
  if (name == "concat" || name == "stack") return put_together(parts, name == "concat");
  if (name.ends_with("sum") || name.ends_with("mean") || name.ends_with("max"))
    return folded(name, x);
  Intervals out = sized(x.rows, x.columns);
  if (name == "minimum") {
    out = sized(std::max(x.rows, parts[1].rows), std::max(x.columns, parts[1].columns));
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t j = 0; j < out.columns; ++j) {
        const Interval &a = x.spread(i, j), &b = parts[1].spread(i, j);
        out.at(i, j) = {std::min(a.low, b.low), std::min(a.high, b.high)};
      }
    return out;
  }
  if (name == "where") {
    out = sized(std::max({x.rows, parts[1].rows, parts[2].rows}),
                std::max({x.columns, parts[1].columns, parts[2].columns}));
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t j = 0; j < out.columns; ++j)
        out.at(i, j) = parts[x.spread(i, j).low != 0 ? 1 : 2].spread(i, j);
    return out;
  }
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j) {
      const Long visible = j <= i ? 1 : 0;
      out.at(i, j) = name == "causal" ? Interval{visible, visible} : single(name, x.at(i, j));
    }
  return out;
}

Intervals binary(const Rule& rule, const Intervals& a, const Intervals& b) {
  if (rule.name != "@") {
    Intervals out = sized(std::max(a.rows, b.rows), std::max(a.columns, b.columns));
    const bool square = rule.name == "*" && same(rule.parts[0], rule.parts[1]);
    for (int64_t i = 0; i < out.rows; ++i)
      for (int64_t j = 0; j < out.columns; ++j)
        out.at(i, j) = square ? power(a.spread(i, j), {2, 2})
                              : combined(rule.name, a.spread(i, j), b.spread(i, j));
    return out;
  }
  Intervals out = sized(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j) {
      Interval total{0, 0};
      for (int64_t c = a.columns; c-- > 0;) {
        const Interval one = product(a.at(i, c), b.at(c, j));
        total = {total.low + one.low, total.high + one.high};
      }
      out.at(i, j) = total;
    }
  return out;
}

}  // namespace

Intervals bounds(const Rule& rule, const std::map<std::string, Intervals>& values) {
  std::vector<Intervals> parts;
  for (const Rule& part : rule.parts) parts.push_back(bounds(part, values));
  const auto constant = [](Long x) { return Intervals{1, 1, {{x, x}}}; };
  switch (rule.kind) {
    case Rule::Kind::number: return constant(rule.number);
    case Rule::Kind::name:
      if (rule.name == "inf") return constant(INFINITY);
      if (rule.name == "pi") return constant(std::numbers::pi_v<Long>);
      return values.at(rule.name);
    case Rule::Kind::minus:
      for (Interval& x : parts[0].values) x = {-x.high, -x.low};
      return parts[0];
    case Rule::Kind::transpose: {
      Intervals out = sized(parts[0].columns, parts[0].rows);
      for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = parts[0].at(j, i);
      return out;
    }
    case Rule::Kind::slice: {
      const auto& r = rule.ranges;
      Intervals out = sized((r[1] < 0 ? parts[0].rows : r[1]) - r[0],
                            (r[3] < 0 ? parts[0].columns : r[3]) - r[2]);
      for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = parts[0].at(r[0] + i, r[2] + j);
      return out;
    }
    case Rule::Kind::call: return call(rule.name, parts);
    case Rule::Kind::binary: break;
  }
  return binary(rule, parts[0], parts[1]);
}

}  // namespace jogak::test
