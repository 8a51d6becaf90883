#include "text/jinja/methods.h"

#include <algorithm>
#include <initializer_list>

namespace jogak::jinja {
namespace {

// The names must be known even where the method is not supported: "d.update" is the method, not
// the key "update".
constexpr std::string_view kText =
    " capitalize casefold center count encode endswith expandtabs find format format_map index "
    "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace "
    "istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace "
    "rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title "
    "translate upper zfill ";
constexpr std::string_view kDict =
    " clear copy fromkeys get items keys pop popitem setdefault update values ";
constexpr std::string_view kDictChanges = " clear pop popitem setdefault update ";
constexpr std::string_view kList =
    " append clear copy count extend index insert pop remove reverse sort ";
constexpr std::string_view kListChanges = " append clear pop reverse insert sort extend remove ";
constexpr std::string_view kTuple = " count index ";
constexpr std::string_view kRange = " count index start step stop ";
constexpr std::string_view kWhole =
    " as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real "
    "to_bytes ";
constexpr std::string_view kNumber =
    " as_integer_ratio conjugate fromhex hex imag is_integer real ";

bool lists(std::string_view names, std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

Value count_in(const Value& self, const Value& what) {
  return static_cast<int64_t>(std::count_if(self.items().begin(), self.items().end(),
                                            [&](const Value& item) { return equal(item, what); }));
}

Value index_in(const Value& self, const Value& what) {
  for (size_t i = 0; i < self.items().size(); ++i)
    if (equal(self.items()[i], what)) return i;
  fail("the value is not in the list");
}

Value call_dict(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  const Dict& dict = self.dict();
  if (name == "get") {
    const Bound bound = bind(args, "get", {"key", "default"}, 1);
    ensure(args.named.empty(), "dict.get() takes no keyword arguments");
    const Value* value = bound[0]->is_undefined() ? nullptr : dict.find(*bound[0]);
    return value ? *value : bound[1] ? *bound[1] : Value(None{});
  }
  bind(args, name, {});
  if (name == "copy") return self;
  std::vector<Value> out;
  for (const auto& [key, value] : dict.items)
    out.push_back(name == "keys"     ? key
                  : name == "values" ? value
                                     : Value(std::vector<Value>{key, value}, Sequence::tuple));
  if (name == "keys") return machine.made(std::move(out), Sequence::keys);
  if (name == "values") return machine.made(std::move(out), Sequence::values);
  if (name == "items") return machine.made(std::move(out), Sequence::items);
  fail("the method 'dict.", name, "' is not supported");
}

}  // namespace

bool has_method(const Value& of, std::string_view name) {
  switch (of.kind()) {
    case Value::Kind::text: return lists(kText, name);
    case Value::Kind::dict: return lists(kDict, name);
    case Value::Kind::boolean:
    case Value::Kind::integer: return lists(kWhole, name);
    case Value::Kind::number: return lists(kNumber, name);
    case Value::Kind::list:
      if (of.sequence() == Sequence::list) return lists(kList, name);
      return lists(of.sequence() == Sequence::range ? kRange : kTuple, name);
    default: return false;
  }
}

bool changes_value(const Value& of, std::string_view name) {
  return (of.is_dict() && lists(kDictChanges, name)) ||
         (of.is_list() && of.sequence() == Sequence::list && lists(kListChanges, name));
}

Value call_method(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  if (self.is_text()) return call_text_method(machine, self, name, args);
  if (self.is_dict()) return call_dict(machine, self, name, args);
  if (self.is_list() && self.sequence() <= Sequence::range) {
    machine.spend(self.items().size());
    if (name == "count") return count_in(self, *bind(args, name, {"value"}, 1)[0]);
    if (name == "index") return index_in(self, *bind(args, name, {"value"}, 1)[0]);
    if (name == "copy") return self;
  }
  fail("the method '", self.type_name(), ".", name, "' is not supported");
}

}  // namespace jogak::jinja
