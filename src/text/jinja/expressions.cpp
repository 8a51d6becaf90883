#include <algorithm>
#include <utility>

#include "text/jinja/filters.h"
#include "text/jinja/machine.h"
#include "text/jinja/operators.h"
#include "text/jinja/print.h"
#include "text/jinja/tests.h"
#include "text/jinja/texts.h"

namespace jogak::jinja {

using Kind = Node::Kind;

Value Machine::eval(const Node& node) {
  spend(1);
  line_ = node.line;
  switch (node.kind) {
    case Kind::constant: return node.value;
    case Kind::name: return name(node.name);
    case Kind::attribute: {
      const Value of = eval(*node.from);
      return attribute(of, node.text);
    }
    case Kind::item: {
      const Value of = eval(*node.from);
      if (node.condition->kind == Kind::slice) return sliced(of, *node.condition);
      return item(of, eval(*node.condition));
    }
    case Kind::call: {
      const Value callee = eval(*node.from);
      Args args = arguments(node);
      line_ = node.line;
      return call(callee, std::move(args));
    }
    case Kind::filter: {
      const Value input = eval(*node.from);
      return filtered(node, &input);
    }
    case Kind::test: {
      const Value input = eval(*node.from);
      const Args args = arguments(node);
      line_ = node.line;
      return passes_test(*this, node.text, input, args);
    }
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
    case Kind::concat: return gathered(node);
    case Kind::binary: {
      const Value left = eval(*node.from);
      const Value right = eval(*node.condition);
      line_ = node.line;
      return calculate(*this, node.text, left, right);
    }
    case Kind::compare: return compared(node);
    case Kind::negative:
    case Kind::positive: return signed_value(eval(*node.from), node.kind == Kind::negative);
    case Kind::not_: return !eval(*node.from).truth();
    case Kind::and_: {
      Value left = eval(*node.from);
      return left.truth() ? eval(*node.condition) : left;
    }
    case Kind::or_: {
      Value left = eval(*node.from);
      return left.truth() ? left : eval(*node.condition);
    }
    case Kind::choice:
      if (eval(*node.condition).truth()) return eval(*node.from);
      if (!node.other.empty()) return eval(*node.other[0]);
      return Value::undefined("the inline if-expression evaluated to false and has no else");
    default: fail("a statement stands where an expression should");
  }
}

// Of several parts: a list, a dictionary, texts put together.
Value Machine::gathered(const Node& node) {
  if (node.kind == Kind::concat) {
    MarkedText out;
    for (const NodePtr& part : node.items) out.append(to_text(eval(*part)));
    return made(std::move(out));
  }
  if (node.kind == Kind::dict) {
    Dict dict;
    for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
      Value key = eval(*node.items[i]);
      dict.set(std::move(key), eval(*node.items[i + 1]));
    }
    return dict;
  }
  std::vector<Value> items;
  for (const NodePtr& item : node.items) items.push_back(eval(*item));
  return made(std::move(items), node.kind == Kind::list ? Sequence::list : Sequence::tuple);
}

Value Machine::name(int number) {
  const Scope::Variable* variable = scope_->find(number);
  const std::string& word = tree_.names[static_cast<size_t>(number)];
  if (variable && variable->set) return variable->value;
  if (!variable && resolves(word)) return resolve(word);
  return Value::undefined("'" + word + "' is undefined");
}

Args Machine::arguments(const Node& node) {
  Args args;
  for (const NodePtr& item : node.items) args.at.push_back(eval(*item));
  if (node.star)
    for (Value& value : iterate(eval(*node.star))) args.at.push_back(std::move(value));
  for (const auto& [name, value] : node.named) args.named.emplace_back(name, eval(*value));
  if (node.stars) {
    const Value more = eval(*node.stars);
    ensure(more.is_dict(), "the argument after ** is a ", more.type_name(), ", wanted a dict");
    for (const auto& [key, value] : more.dict().items) {
      ensure(key.is_text(), "keywords must be strings");
      args.named.emplace_back(key.text().bytes(), value);
    }
  }
  for (size_t i = 0; i < args.named.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      ensure(args.named[i].first != args.named[j].first, "the argument '", args.named[i].first,
             "' is given twice");
  return args;
}

// Filters of a block have no value before the first of them.
Value Machine::filtered(const Node& node, const Value* input) {
  if (node.from && node.from->kind == Kind::filter) {
    const Node* first = &node;
    while (first->from && first->from->kind == Kind::filter) first = first->from.get();
    if (!first->from) {
      const Value inner = filtered(*node.from, input);
      const Args args = arguments(node);
      return apply_filter(*this, node.text, inner, args);
    }
  }
  const Args args = arguments(node);
  line_ = node.line;
  return apply_filter(*this, node.text, *input, args);
}

Value Machine::compared(const Node& node) {
  Value left = eval(*node.from);
  for (size_t i = 0; i < node.items.size(); ++i) {
    Value right = eval(*node.items[i]);
    line_ = node.line;
    if (!compare(*this, node.words[i], left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Machine::sliced(const Value& of, const Node& slice) {
  if (of.is_undefined()) fail(of.why());
  const bool sequence = of.is_list() && of.sequence() <= Sequence::range;
  int64_t parts[3] = {0, 0, 1};
  bool given[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (!slice.items[i]) continue;
    const Value value = eval(*slice.items[i]);
    if (value.is_none()) continue;
    // Python's TypeError, which Jinja turns into an undefined value.
    if (!value.is_whole()) return Value::undefined("slice indices must be integers or None");
    parts[i] = value.whole();
    given[i] = true;
  }
  if (!sequence && !of.is_text())
    return Value::undefined(text_of("'", of.type_name(), "' object has no slices"));
  if (given[2] && parts[2] == 0) fail("slice step cannot be zero");
  if (of.is_text()) return slice_text(*this, of, parts, given);
  std::vector<Value> out;
  const auto count = static_cast<int64_t>(of.items().size());
  for (const int64_t at : slice_places(count, parts, given))
    out.push_back(of.items()[static_cast<size_t>(at)]);
  return made(std::move(out), of.sequence());
}

}  // namespace jogak::jinja
