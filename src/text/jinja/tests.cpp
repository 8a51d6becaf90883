#include "text/jinja/tests.h"

#include <functional>
#include <map>

#include "text/jinja/filters.h"
#include "text/jinja/methods.h"
#include "text/jinja/operators.h"
#include "text/jinja/print.h"

namespace jogak::jinja {
namespace {

using Check = std::function<bool(Machine&, const Value&, const Args&)>;
using Simple = bool (*)(const Value&);

Check simple(Simple check) {
  return [check](Machine&, const Value& value, const Args& args) {
    bind(args, "test", {});
    return check(value);
  };
}

Check comparing(std::string_view op) {
  return [op](Machine& machine, const Value& value, const Args& args) {
    return compare(machine, op, value, *bind(args, op, {"other"}, 1)[0]);
  };
}

int64_t wanted_number(const Value& value) {
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_whole(), "found a ", value.type_name(), ", wanted a whole number");
  return value.whole();
}

bool same_object(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_none()) return true;
  if (a.is(Value::Kind::boolean)) return a.boolean() == b.boolean();
  ensure(a.identity(), "'sameas' of numbers is not supported");
  return a.identity() == b.identity();
}

bool one_case(Machine& machine, const Value& value, const char* method) {
  return call_text_method(machine, Value(to_text(value)), method, {}).truth();
}

bool is_sequence(const Value& value) {
  return value.is_undefined() || value.is_text() || value.is_dict() ||
         (value.is_list() && value.sequence() <= Sequence::range);
}

bool is_callable(const Value& value) {
  return value.is(Value::Kind::function) || value.is(Value::Kind::macro) ||
         value.is(Value::Kind::loop) || value.is_undefined();
}

const std::map<std::string_view, Check>& table() {
  using K = Value::Kind;
  static const std::map<std::string_view, Check> kTable = {
      {"defined", simple([](const Value& v) { return !v.is_undefined(); })},
      {"undefined", simple([](const Value& v) { return v.is_undefined(); })},
      {"none", simple([](const Value& v) { return v.is_none(); })},
      {"boolean", simple([](const Value& v) { return v.is(K::boolean); })},
      {"true", simple([](const Value& v) { return v.is(K::boolean) && v.boolean(); })},
      {"false", simple([](const Value& v) { return v.is(K::boolean) && !v.boolean(); })},
      {"integer", simple([](const Value& v) { return v.is(K::integer); })},
      {"float", simple([](const Value& v) { return v.is(K::number); })},
      {"number", simple([](const Value& v) { return v.is_number(); })},
      {"string", simple([](const Value& v) { return v.is_text(); })},
      {"mapping", simple([](const Value& v) { return v.is_dict(); })},
      {"sequence", simple(is_sequence)},
      {"iterable", simple(iterable)},
      {"callable", simple(is_callable)},
      {"escaped", simple([](const Value& v) { return v.safe(); })},
      {"odd", simple([](const Value& v) { return wanted_number(v) % 2 != 0; })},
      {"even", simple([](const Value& v) { return wanted_number(v) % 2 == 0; })},
      {"divisibleby",
       [](Machine& machine, const Value& v, const Args& args) {
         const Value& by = *bind(args, "divisibleby", {"num"}, 1)[0];
         return equal(calculate(machine, "%", v, by), 0);
       }},
      {"lower", [](Machine& m, const Value& v, const Args&) { return one_case(m, v, "islower"); }},
      {"upper", [](Machine& m, const Value& v, const Args&) { return one_case(m, v, "isupper"); }},
      {"sameas",
       [](Machine&, const Value& v, const Args& args) {
         return same_object(v, *bind(args, "sameas", {"other"}, 1)[0]);
       }},
      {"in",
       [](Machine& machine, const Value& v, const Args& args) {
         return contains(machine, *bind(args, "in", {"seq"}, 1)[0], v);
       }},
      {"filter", simple([](const Value& v) { return v.is_text() && is_filter(v.view()); })},
      {"test", simple([](const Value& v) { return v.is_text() && is_test(v.view()); })},
      {"==", comparing("==")},
      {"eq", comparing("==")},
      {"equalto", comparing("==")},
      {"!=", comparing("!=")},
      {"ne", comparing("!=")},
      {">", comparing(">")},
      {"gt", comparing(">")},
      {"greaterthan", comparing(">")},
      {">=", comparing(">=")},
      {"ge", comparing(">=")},
      {"<", comparing("<")},
      {"lt", comparing("<")},
      {"lessthan", comparing("<")},
      {"<=", comparing("<=")},
      {"le", comparing("<=")},
  };
  return kTable;
}

}  // namespace

bool is_test(std::string_view name) { return table().contains(name); }

bool passes_test(Machine& machine, std::string_view name, const Value& value, const Args& args) {
  const auto found = table().find(name);
  ensure(found != table().end(), "the test '", name, "' is not supported");
  machine.spend(1);
  return found->second(machine, value, args);
}

}  // namespace jogak::jinja
