// Attributes, items and calls, by the rules of Jinja's sandbox: what Python objects have of their
// own is reached only where it cannot do harm.
#include <algorithm>
#include <charconv>
#include <utility>

#include "text/jinja/machine.h"
#include "text/jinja/methods.h"
#include "text/jinja/texts.h"

namespace jogak::jinja {
namespace {

constexpr std::string_view kGlobals[] = {"range",        "dict",   "namespace", "raise_exception",
                                         "strftime_now", "lipsum", "cycler",    "joiner"};

bool is_global(std::string_view name) {
  return std::find(std::begin(kGlobals), std::end(kGlobals), name) != std::end(kGlobals);
}

Value missing_item(const Value& of, const Value& key) {
  const std::string type = of.is_none() ? "None" : std::string(of.type_name()) + " object";
  if (key.is_text())
    return Value::undefined(text_of("'", type, "' has no attribute '", key.view(), "'"));
  return Value::undefined(text_of(type, " has no such element"));
}

Value loop_attribute(Loop& loop, std::string_view name, const Value& self) {
  if (name == "index") return loop.index0 + 1;
  if (name == "index0") return loop.index0;
  if (name == "first") return loop.index0 == 0;
  if (name == "last") return !loop.peek();
  if (name == "length") return loop.length();
  if (name == "revindex") return loop.length() - loop.index0;
  if (name == "revindex0") return loop.length() - loop.index0 - 1;
  if (name == "depth") return 1;
  if (name == "depth0") return 0;
  if (name == "previtem")
    return loop.index0 == 0 ? Value::undefined("there is no previous item") : loop.before;
  if (name == "nextitem")
    return loop.peek() ? loop.found[0] : Value::undefined("there is no next item");
  if (name == "cycle" || name == "changed") return Function{std::string(name), true, self};
  return missing_item(self, Value(name));
}

Value call_loop(Loop& loop, const std::string& name, const Args& args) {
  ensure(args.named.empty(), "loop.", name, " takes no keyword arguments");
  if (name == "cycle") {
    ensure(!args.at.empty(), "no items for cycling given");
    return args.at[static_cast<size_t>(loop.index0) % args.at.size()];
  }
  ensure(!loop.over, "loop.changed after the loop is not supported");
  const bool same =
      loop.changed_called && std::equal(args.at.begin(), args.at.end(), loop.last_changed.begin(),
                                        loop.last_changed.end(), equal);
  loop.last_changed = args.at;
  loop.changed_called = true;
  return !same;
}

Value range_of(Machine& machine, const Args& args) {
  ensure(args.named.empty() && !args.at.empty() && args.at.size() <= 3,
         "range takes one to three arguments");
  for (const Value& value : args.at) {
    if (value.is_undefined()) fail(value.why());
    ensure(value.is_whole(), "'", value.type_name(),
           "' object cannot be interpreted as an integer");
  }
  const bool one = args.at.size() == 1;
  const int64_t from = one ? 0 : args.at[0].whole(), to = args.at[one ? 0 : 1].whole();
  const int64_t step = args.at.size() == 3 ? args.at[2].whole() : 1;
  ensure(step != 0, "range() arg 3 must not be zero");
  const double count = std::max(
      0.0, (static_cast<double>(to) - static_cast<double>(from)) / static_cast<double>(step));
  ensure(count <= 100'000, "a range of more than 100000 numbers: step limit");
  std::vector<Value> out;
  for (int64_t at = from; step > 0 ? at < to : at > to; at += step) {
    out.emplace_back(at);
    if ((step > 0 && at > to - step) || (step < 0 && at < to - step)) break;
  }
  return machine.made(std::move(out), Sequence::range);
}

}  // namespace

bool Loop::peek() {
  while (found.empty() && next < items.size()) {
    Value value = items[next++];
    if (!takes || takes(value)) found.push_back(std::move(value));
  }
  return !found.empty();
}

bool Loop::advance() {
  if (!peek()) return false;
  ++index0;
  before = std::move(current);
  current = std::move(found[0]);
  found.clear();
  return true;
}

int64_t Loop::length() {
  if (known_length >= 0) return known_length;
  std::vector<Value> rest;
  while (peek()) rest.push_back(std::exchange(found, {})[0]);
  items = std::move(rest);
  next = 0;
  takes = nullptr;
  return known_length = static_cast<int64_t>(items.size()) + index0 + 1;
}

bool Machine::resolves(const std::string& name) const {
  return context_.contains(name) || is_global(name);
}

Value Machine::resolve(const std::string& name) const {
  const auto found = context_.find(name);
  if (found != context_.end()) return found->second;
  return is_global(name) ? Value(Function{name}) : Value::undefined("'" + name + "' is undefined");
}

// A method, where Python's type has one; undefined where the sandbox forbids it.
Value Machine::method(const Value& of, std::string_view name) {
  if (changes_value(of, name))
    return Value::undefined(
        text_of("access to attribute '", name, "' of '", of.type_name(), "' object is unsafe"));
  return Function{std::string(name), true, of};
}

Value Machine::attribute(const Value& of, std::string_view name) {
  if (of.is_undefined()) fail(of.why());
  if (name.starts_with("__"))
    fail("access to attribute '", name, "' of '", of.type_name(), "' object is unsafe");
  if (of.is(Value::Kind::space)) {
    const Value* value = of.space().attributes.find(name);
    return value ? *value : missing_item(of, Value(name));
  }
  if (of.is(Value::Kind::loop)) return loop_attribute(of.loop(), name, of);
  if (has_method(of, name)) return method(of, name);
  if (of.is_dict())
    if (const Value* value = of.dict().find(name)) return *value;
  if (of.is(Value::Kind::macro) && name == "name")
    return Value(std::string_view(of.macro().node->text));
  // What else Python's own objects have is of no use to a template.
  static constexpr std::string_view kOthers[] = {
      "close",           "send",       "throw",        "gi_code",       "gi_frame",
      "gi_running",      "arguments",  "catch_kwargs", "catch_varargs", "caller",
      "explicit_caller", "isdisjoint", "mapping",      "gi_suspended",  "gi_yieldfrom"};
  const bool plain =
      of.kind() < Value::Kind::function && (!of.is_list() || of.sequence() <= Sequence::tuple);
  ensure(plain || std::find(std::begin(kOthers), std::end(kOthers), name) == std::end(kOthers),
         "the attribute '", name, "' of a ", of.type_name(), " is not supported");
  return missing_item(of, Value(name));
}

Value Machine::item(const Value& of, const Value& key) {
  if (of.is_undefined()) fail(of.why());
  if (of.is_dict() && (!key.is_list() || key.sequence() == Sequence::tuple) && !key.is_dict()) {
    if (key.is_undefined()) return missing_item(of, key);
    if (const Value* value = of.dict().find(key)) return *value;
  } else if (of.is_list() && of.sequence() <= Sequence::range && key.is_whole()) {
    const auto count = static_cast<int64_t>(of.items().size());
    const int64_t at = key.whole() < 0 ? key.whole() + count : key.whole();
    return at >= 0 && at < count ? of.items()[static_cast<size_t>(at)] : missing_item(of, key);
  } else if (of.is_text() && key.is_whole()) {
    return character(*this, of, key.whole());
  }
  if (!key.is_text()) return missing_item(of, key);
  const std::string_view name = key.view();
  if (of.is(Value::Kind::space) || of.is(Value::Kind::loop) || name.starts_with("__"))
    return attribute(of, name);
  return has_method(of, name) ? method(of, name) : missing_item(of, key);
}

Value Machine::path(Value of, const Value& name) {
  if (!name.is_text()) return item(of, name);
  for (const std::string_view part : split_plain(name.view(), '.')) {
    int64_t number = 0;
    const bool digits =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos &&
        std::from_chars(part.data(), part.data() + part.size(), number).ec == std::errc();
    of = item(of, digits ? Value(number) : Value(part));
  }
  return of;
}

Value Machine::call(const Value& callee, Args args) {
  spend(1);
  switch (callee.kind()) {
    case Value::Kind::undefined: fail(callee.why());
    case Value::Kind::macro: return call_macro(callee.macro(), std::move(args));
    case Value::Kind::function: {
      const Function& function = callee.function();
      if (!function.bound) return call_global(function.name, args);
      if (function.self.is(Value::Kind::loop))
        return call_loop(function.self.loop(), function.name, args);
      return call_method(*this, function.self, function.name, args);
    }
    default: fail("'", callee.type_name(), "' object is not callable");
  }
}

Value Machine::call_global(const std::string& name, const Args& args) {
  if (name == "range") return range_of(*this, args);
  if (name == "namespace") return new_namespace(args);
  if (name == "raise_exception") {
    const Bound bound = bind(args, name, {"message"}, 1);
    throw Raised(bound[0]->is_text() ? bound[0]->text().bytes() : "the template refused");
  }
  if (name == "strftime_now") {
    const Bound bound = bind(args, name, {"format"}, 1);
    return made(date_text(*bound[0], now()));
  }
  if (name == "dict") {
    ensure(args.at.size() <= 1, "dict expected at most 1 argument");
    Dict out;
    if (!args.at.empty()) {
      if (args.at[0].is_dict()) {
        out = args.at[0].dict();
      } else {
        for (const Value& pair : iterate(args.at[0])) {
          const std::vector<Value> two = iterate(pair);
          ensure(two.size() == 2, "dict: found ", two.size(), " values, wanted a key and a value");
          out.set(two[0], two[1]);
        }
      }
    }
    for (const auto& [key, value] : args.named) out.set(std::string_view(key), value);
    return out;
  }
  fail("the function '", name, "' is not supported");
}

Value Machine::new_namespace(const Args& args) {
  auto space = std::make_unique<Namespace>();
  Value from = call_global("dict", args);
  for (const auto& [key, value] : from.dict().items)
    ensure(!key.is_text() || !key.view().starts_with('_'),
           "a namespace takes no attribute that starts with '_': '", key.view(), "'");
  space->attributes = from.dict();
  spend(8);
  return spaces_.emplace_back(std::move(space)).get();
}

Bound bind(const Args& args, std::string_view what, std::initializer_list<std::string_view> names,
           size_t required) {
  Bound out;
  ensure(args.at.size() <= names.size(), what, ": found ", args.at.size(),
         " arguments, wanted at most ", names.size());
  out.values.resize(names.size());
  for (size_t i = 0; i < args.at.size(); ++i) out.values[i] = &args.at[i];
  for (const auto& [name, value] : args.named) {
    const auto at = std::find(names.begin(), names.end(), name);
    ensure(at != names.end(), what, ": unknown argument '", name, "'");
    const Value*& place = out.values[static_cast<size_t>(at - names.begin())];
    ensure(!place, what, ": the argument '", name, "' is given twice");
    place = &value;
  }
  for (size_t i = 0; i < required; ++i)
    ensure(out.values[i], what, ": the argument '", names.begin()[i], "' is missing");
  return out;
}

}  // namespace jogak::jinja
