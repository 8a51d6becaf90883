#include "text/jinja/operators.h"

#include <cmath>
#include <utility>

#include "text/jinja/formatting.h"
#include "text/jinja/print.h"
#include "text/jinja/texts.h"

namespace jogak::jinja {
namespace {

[[noreturn]] void no_operator(std::string_view op, const Value& a, const Value& b) {
  for (const Value* value : {&a, &b})
    if (value->is_undefined()) fail(value->why());
  fail("unsupported operand type(s) for ", op, ": '", a.type_name(), "' and '", b.type_name(), "'");
}

[[noreturn]] void too_large() { fail("a whole number is larger than 64 bits"); }

int64_t floor_divided(int64_t a, int64_t b) {
  ensure(b != 0, "division by zero");
  if (b == -1) return a == INT64_MIN ? (too_large(), 0) : -a;
  const int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

double floor_rest(double a, double b) {
  ensure(b != 0, "float modulo by zero");
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

Value whole_power(int64_t base, int64_t power) {
  if (power < 0) return std::pow(static_cast<double>(base), static_cast<double>(power));
  int64_t out = 1;
  for (int64_t i = 0; i < power; ++i) {
    if (base == 1 || base == 0) return base;
    if (base == -1) return power % 2 ? int64_t{-1} : int64_t{1};
    if (__builtin_mul_overflow(out, base, &out)) too_large();
  }
  return out;
}

Value whole(std::string_view op, int64_t a, int64_t b) {
  int64_t out = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &out) ? (too_large(), 0) : Value(out);
  if (op == "-") return __builtin_sub_overflow(a, b, &out) ? (too_large(), 0) : Value(out);
  if (op == "*") return __builtin_mul_overflow(a, b, &out) ? (too_large(), 0) : Value(out);
  if (op == "//") return floor_divided(a, b);
  if (op == "%") {
    ensure(b != 0, "integer modulo by zero");
    return b == -1 ? int64_t{0} : a - floor_divided(a, b) * b;
  }
  if (op == "**") return whole_power(a, b);
  ensure(b != 0, "division by zero");
  return static_cast<double>(a) / static_cast<double>(b);
}

Value numbers(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "%") return floor_rest(a, b);
  if (op == "**") return std::pow(a, b);
  ensure(b != 0, "float division by zero");
  return op == "/" ? a / b : std::floor(a / b);
}

Value repeated(Machine& machine, const Value& of, int64_t times) {
  const size_t count = times > 0 ? static_cast<size_t>(times) : 0;
  const size_t size = of.is_text() ? of.text().size() : of.items().size();
  ensure(size == 0 || count <= (size_t{64} << 20) / size, "the template repeats ", size, " bytes ",
         count, " times: size limit");
  machine.spend(size * count / 16);
  if (of.is_text()) {
    MarkedText out;
    for (size_t i = 0; size > 0 && i < count; ++i) out.append(of.text());
    return machine.made(std::move(out), of.safe());
  }
  std::vector<Value> out;
  for (size_t i = 0; size > 0 && i < count; ++i)
    out.insert(out.end(), of.items().begin(), of.items().end());
  return machine.made(std::move(out), of.sequence());
}

bool list_or_tuple(const Value& value) {
  return value.is_list() && value.sequence() <= Sequence::tuple;
}

Value added(Machine& machine, const Value& a, const Value& b) {
  if (a.is_text() && b.is_text()) {
    const bool safe = a.safe() || b.safe();
    MarkedText out = safe && !a.safe() ? escaped(a.text()) : a.text();
    out.append(safe && !b.safe() ? escaped(b.text()) : b.text());
    return machine.made(std::move(out), safe);
  }
  if (list_or_tuple(a) && list_or_tuple(b) && a.sequence() == b.sequence()) {
    std::vector<Value> out = a.items();
    out.insert(out.end(), b.items().begin(), b.items().end());
    return machine.made(std::move(out), a.sequence());
  }
  no_operator("+", a, b);
}

}  // namespace

Value calculate(Machine& machine, std::string_view op, const Value& left, const Value& right) {
  if (left.is_whole() && right.is_whole()) return whole(op, left.whole(), right.whole());
  if (left.is_number() && right.is_number()) return numbers(op, left.number(), right.number());
  if (op == "+") return added(machine, left, right);
  if (op == "%" && left.is_text()) return percent_format(machine, left, right);
  if (op == "*") {
    if ((left.is_text() || list_or_tuple(left)) && right.is_whole())
      return repeated(machine, left, right.whole());
    if ((right.is_text() || list_or_tuple(right)) && left.is_whole())
      return repeated(machine, right, left.whole());
  }
  no_operator(op, left, right);
}

bool contains(Machine& machine, const Value& in, const Value& what) {
  if (in.is_text()) {
    if (what.is_undefined()) fail(what.why());
    ensure(what.is_text(), "'in <string>' requires string as left operand, not ", what.type_name());
    machine.spend(in.text().size() / 16);
    return in.view().find(what.view()) != std::string_view::npos;
  }
  if (in.is_dict()) return in.dict().find(what) != nullptr;
  if (!iterable(in)) fail("argument of type '", in.type_name(), "' is not iterable");
  const std::vector<Value> items = iterate(in);
  machine.spend(items.size());
  for (const Value& item : items)
    if (equal(item, what)) return true;
  return false;
}

bool compare(Machine& machine, std::string_view op, const Value& left, const Value& right) {
  if (op == "==") return equal(left, right);
  if (op == "!=") return !equal(left, right);
  if (op == "in") return contains(machine, right, left);
  if (op == "not in") return !contains(machine, right, left);
  if (op == "<") return less(left, right);
  if (op == ">") return less(right, left);
  const bool nan = (left.is_number() && std::isnan(left.number())) ||
                   (right.is_number() && std::isnan(right.number()));
  const bool out = op == "<=" ? !less(right, left) : !less(left, right);
  return out && !nan;
}

Value signed_value(const Value& value, bool negative) {
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_number(), "bad operand type for unary ", negative ? '-' : '+', ": '",
         value.type_name(), "'");
  if (!value.is_whole()) return negative ? -value.number() : value.number();
  if (negative && value.whole() == INT64_MIN) too_large();
  return negative ? -value.whole() : value.whole();
}

}  // namespace jogak::jinja
