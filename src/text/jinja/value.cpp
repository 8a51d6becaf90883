#include "text/jinja/value.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "text/jinja/python_number.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

constexpr int kMaxDepth = 100;  // of lists within lists: printing and freeing go down as far

int checked_depth(int depth) {
  ensure(depth <= kMaxDepth, "lists or dicts stand in each other ", depth, " deep, at most ",
         kMaxDepth, " are allowed");
  return depth;
}

// Equal keys have the same name, and others have not.
std::string name_of_key(const Value& key) {
  switch (key.kind()) {
    case Value::Kind::text: return "t" + key.text().bytes();
    case Value::Kind::none: return "n";
    case Value::Kind::boolean:
    case Value::Kind::integer: return "i" + std::to_string(key.whole());
    case Value::Kind::number: {
      const double value = key.number();
      if (value == std::floor(value) && std::fabs(value) < 0x1p62)
        return "i" + std::to_string(static_cast<int64_t>(value));
      return "f" + python_number(value);
    }
    case Value::Kind::list:
      if (key.sequence() == Sequence::tuple) {
        std::string name = "(";
        for (const Value& item : key.items()) {
          const std::string one = name_of_key(item);
          name += std::to_string(one.size()) + ":" + one;
        }
        return name;
      }
      [[fallthrough]];
    default: fail("a ", key.type_name(), " cannot be a key");
  }
}

}  // namespace

Value::Value(std::vector<Value> items, Sequence type) {
  auto box = std::make_shared<ListBox>();
  for (const Value& item : items) box->depth = std::max(box->depth, item.depth() + 1);
  checked_depth(box->depth);
  box->items = std::move(items);
  box->type = type;
  value_ = ListRef(std::move(box));
}

Value::Value(Dict dict) : value_(std::make_shared<const Dict>(std::move(dict))) {}
Value::Value(Function function) : value_(std::make_shared<const Function>(std::move(function))) {}

Value Value::undefined(std::string why) {
  Value out;
  out.value_ = Undefined{std::make_shared<const std::string>(std::move(why))};
  return out;
}

int64_t Value::whole() const {
  return is(Kind::boolean) ? int64_t{boolean()} : std::get<int64_t>(value_);
}

double Value::number() const {
  return is_whole() ? static_cast<double>(whole()) : std::get<double>(value_);
}

const std::vector<Value>& Value::items() const { return list().items; }
Sequence Value::sequence() const { return list().type; }

const std::string& Value::why() const {
  static const std::string kNothing = "the value is undefined";
  const auto& why = std::get<Undefined>(value_).why;
  return why ? *why : kNothing;
}

bool Value::truth() const {
  switch (kind()) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::boolean: return boolean();
    case Kind::integer: return whole() != 0;
    case Kind::number: return number() != 0;
    case Kind::text: return !text().empty();
    case Kind::list: return sequence() == Sequence::generator || !items().empty();
    case Kind::dict: return !dict().items.empty();
    default: return true;
  }
}

int Value::depth() const { return is_list() ? list().depth : is_dict() ? dict().depth() : 0; }

const void* Value::identity() const {
  switch (kind()) {
    case Kind::text: return std::get<TextRef>(value_).get();
    case Kind::list: return std::get<ListRef>(value_).get();
    case Kind::dict: return std::get<DictRef>(value_).get();
    case Kind::space: return std::get<Namespace*>(value_);
    case Kind::function: return std::get<FunctionRef>(value_).get();
    case Kind::macro: return std::get<const Macro*>(value_);
    case Kind::loop: return std::get<std::shared_ptr<Loop>>(value_).get();
    default: return nullptr;
  }
}

const char* Value::type_name() const {
  static constexpr const char* kSequences[] = {"list",        "tuple",      "range",    "dict_keys",
                                               "dict_values", "dict_items", "generator"};
  static constexpr const char* kKinds[] = {"Undefined", "NoneType", "bool",  "int",
                                           "float",     "str",      "list",  "dict",
                                           "Namespace", "function", "Macro", "LoopContext"};
  return is_list() ? kSequences[static_cast<int>(sequence())] : kKinds[static_cast<int>(kind())];
}

void Dict::set(Value key, Value value) {
  depth_ = checked_depth(std::max({depth_, key.depth() + 1, value.depth() + 1}));
  const auto [place, fresh] = places_.try_emplace(name_of_key(key), items.size());
  if (fresh)
    items.emplace_back(std::move(key), std::move(value));
  else
    items[place->second].second = std::move(value);
}

const Value* Dict::find(const Value& key) const {
  const auto found = places_.find(name_of_key(key));
  return found == places_.end() ? nullptr : &items[found->second].second;
}

const Value* Dict::find(std::string_view key) const {
  const auto found = places_.find("t" + std::string(key));
  return found == places_.end() ? nullptr : &items[found->second].second;
}

Value from_json(const Json& json, bool user) {
  switch (json.kind()) {
    case Json::Kind::null: return None{};
    case Json::Kind::boolean: return json.boolean();
    case Json::Kind::integer: return json.integer();
    case Json::Kind::number: return json.number();
    case Json::Kind::string: return MarkedText(json.text(), user);
    case Json::Kind::array: {
      std::vector<Value> items;
      for (const Json& item : json.items()) items.push_back(from_json(item, user));
      return items;
    }
    case Json::Kind::object: {
      Dict dict;
      for (const auto& [key, value] : json.members())
        dict.set(MarkedText(key, user), from_json(value, user));
      return dict;
    }
  }
  return None{};
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_whole() && b.is_whole()) return a.whole() == b.whole();
    return a.number() == b.number();
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::undefined:
    case Value::Kind::none: return true;
    case Value::Kind::text: return a.text() == b.text();
    case Value::Kind::list:
      if (a.identity() == b.identity()) return true;
      return a.sequence() == b.sequence() && a.sequence() <= Sequence::range &&
             std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        equal);
    case Value::Kind::dict:
      return a.dict().items.size() == b.dict().items.size() &&
             std::all_of(a.dict().items.begin(), a.dict().items.end(), [&](const Dict::Item& item) {
               const Value* other = b.dict().find(item.first);
               return other && equal(item.second, *other);
             });
    default: return a.identity() == b.identity();
  }
}

bool less(const Value& a, const Value& b) {
  for (const Value* value : {&a, &b})
    if (value->is_undefined()) fail(value->why());
  if (a.is_whole() && b.is_whole()) return a.whole() < b.whole();
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (a.is_text() && b.is_text()) return a.view() < b.view();
  if (a.is_list() && b.is_list() && a.sequence() == b.sequence() &&
      a.sequence() <= Sequence::tuple) {
    for (size_t i = 0; i < a.items().size() && i < b.items().size(); ++i)
      if (!equal(a.items()[i], b.items()[i])) return less(a.items()[i], b.items()[i]);
    return a.items().size() < b.items().size();
  }
  fail("'<' not supported between instances of '", a.type_name(), "' and '", b.type_name(), "'");
}

bool iterable(const Value& value) {
  return value.is_undefined() || value.is_text() || value.is_list() || value.is_dict() ||
         value.is(Value::Kind::loop);
}

std::vector<Value> iterate(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::undefined: return {};
    case Value::Kind::text: {
      std::vector<Value> out;
      const MarkedText& text = value.text();
      for (size_t at = 0; at < text.size();) {
        const size_t next = at + text::size_from_first(text.view()[at]);
        out.emplace_back(text.part(at, next), value.safe());
        at = next;
      }
      return out;
    }
    case Value::Kind::list: {
      const ListBox& list = value.list();
      if (list.type != Sequence::generator) return list.items;
      const size_t from = std::exchange(list.taken, list.items.size());
      return {list.items.begin() + static_cast<int64_t>(from), list.items.end()};
    }
    case Value::Kind::dict: {
      std::vector<Value> out;
      for (const auto& [key, item] : value.dict().items) out.push_back(key);
      return out;
    }
    default: fail("'", value.type_name(), "' object is not iterable");
  }
}

}  // namespace jogak::jinja
