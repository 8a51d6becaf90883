// Values of a template, with Python's rules: what is true, what is equal, how it is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "text/marked_text.h"

namespace jogak::jinja {

class Value;
struct Macro;      // machine.h
struct Loop;       // machine.h
struct Namespace;  // below

struct Undefined {
  std::shared_ptr<const std::string> why;  // for the error when it is used
};
struct None {};

struct TextBox {
  MarkedText text;
  bool safe = false;  // marked by |safe: what is added to it is escaped
};

// What Python has several types for; lists inside a template never change.
enum class Sequence : uint8_t { list, tuple, range, keys, values, items, generator };

struct ListBox;
struct Dict;
struct Function;

class Value {
 public:
  enum class Kind : uint8_t {
    undefined,
    none,
    boolean,
    integer,
    number,
    text,
    list,
    dict,
    space,
    function,
    macro,
    loop
  };

  Value() = default;  // undefined
  Value(None) : value_(None{}) {}
  Value(bool value) : value_(value) {}
  Value(int value) : value_(int64_t{value}) {}
  Value(int64_t value) : value_(value) {}
  Value(size_t value) : value_(static_cast<int64_t>(value)) {}
  Value(double value) : value_(value) {}
  Value(MarkedText text, bool safe = false)
      : value_(std::make_shared<const TextBox>(TextBox{std::move(text), safe})) {}
  Value(std::string_view text) : Value(MarkedText(std::string(text))) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(std::vector<Value> items, Sequence type = Sequence::list);
  Value(Dict dict);
  Value(Namespace* space) : value_(space) {}
  Value(Function function);
  Value(const Macro* macro) : value_(macro) {}
  Value(std::shared_ptr<Loop> loop) : value_(std::move(loop)) {}
  static Value undefined(std::string why);

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_undefined() const { return is(Kind::undefined); }
  bool is_none() const { return is(Kind::none); }
  bool is_text() const { return is(Kind::text); }
  bool is_list() const { return is(Kind::list); }
  bool is_dict() const { return is(Kind::dict); }
  bool is_whole() const { return is(Kind::integer) || is(Kind::boolean); }  // an int of Python
  bool is_number() const { return is_whole() || is(Kind::number); }

  // Ask the kind first.
  bool boolean() const { return std::get<bool>(value_); }
  int64_t whole() const;  // of a boolean too
  double number() const;  // of whole ones too
  const MarkedText& text() const { return std::get<TextRef>(value_)->text; }
  std::string_view view() const { return text().view(); }
  bool safe() const { return is_text() && std::get<TextRef>(value_)->safe; }
  const ListBox& list() const { return *std::get<ListRef>(value_); }
  const std::vector<Value>& items() const;
  Sequence sequence() const;
  const Dict& dict() const { return *std::get<DictRef>(value_); }
  Namespace& space() const { return *std::get<Namespace*>(value_); }
  const Function& function() const { return *std::get<FunctionRef>(value_); }
  const Macro& macro() const { return *std::get<const Macro*>(value_); }
  Loop& loop() const { return *std::get<std::shared_ptr<Loop>>(value_); }
  const std::string& why() const;  // of an undefined one

  bool truth() const;
  int depth() const;              // of lists and dicts within each other
  const void* identity() const;   // the same for copies of one object
  const char* type_name() const;  // as Python calls it

 private:
  using TextRef = std::shared_ptr<const TextBox>;
  using ListRef = std::shared_ptr<const ListBox>;
  using DictRef = std::shared_ptr<const Dict>;
  using FunctionRef = std::shared_ptr<const Function>;
  std::variant<Undefined, None, bool, int64_t, double, TextRef, ListRef, DictRef, Namespace*,
               FunctionRef, const Macro*, std::shared_ptr<Loop>>
      value_;  // in the order of Kind
};

struct ListBox {
  std::vector<Value> items;
  Sequence type = Sequence::list;
  int depth = 1;
  mutable size_t taken = 0;  // of a generator: what has been read
};

// In the order of first setting. Keys that Python takes for one are one: 1, 1.0 and true.
struct Dict {
  using Item = std::pair<Value, Value>;
  std::vector<Item> items;

  void set(Value key, Value value);
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  int depth() const { return depth_; }

 private:
  std::unordered_map<std::string, size_t> places_;
  int depth_ = 1;
};

struct Namespace {
  Dict attributes;
};

// A global, or a method with the value it belongs to.
struct Function {
  std::string name;
  bool bound = false;
  Value self{};
};

// Values from outside; the text in them was written by a user, or was not.
Value from_json(const Json& json, bool user);

bool equal(const Value& a, const Value& b);
bool less(const Value& a, const Value& b);  // fails where Python has no order

// What a loop runs over, or list(value). A generator is used up by it.
std::vector<Value> iterate(const Value& value);
bool iterable(const Value& value);

}  // namespace jogak::jinja
