#include <algorithm>

#include "text/jinja/machine.h"
#include "text/jinja/print.h"

namespace jogak::jinja {

using Kind = Node::Kind;

Scope::Variable* Scope::find(int name) {
  for (Scope* scope = this; scope; scope = scope->parent)
    for (Variable& variable : scope->variables)
      if (variable.name == name) return &variable;
  return nullptr;
}

// Entering gives every name of the scope its first value. A scope that a macro was made in stays
// when it is left.
struct Machine::Entered {
  Entered(Machine& machine, const Entries& entries, Scope* parent)
      : machine_(machine), outer_(machine.scope_), scope_(std::make_unique<Scope>()) {
    scope_->parent = parent;
    scope_->variables.reserve(entries.size());
    for (const auto& [name, load] : entries) {
      Scope::Variable variable{name, false, {}};
      const std::string& word = machine.tree_.names[static_cast<size_t>(name)];
      if (load == Load::resolve && machine.resolves(word)) {
        variable.set = true;
        variable.value = machine.resolve(word);
      } else if (load == Load::alias) {
        if (const Scope::Variable* outside = parent ? parent->find(name) : nullptr) {
          variable.set = outside->set;
          variable.value = outside->value;
        }
      }
      scope_->variables.push_back(std::move(variable));
    }
    machine.scope_ = scope_.get();
  }
  ~Entered() {
    machine_.scope_ = outer_;
    if (scope_->kept) machine_.kept_.push_back(std::move(scope_));
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  void set(int name, Value value) {
    for (Scope::Variable& variable : scope_->variables)
      if (variable.name == name) {
        variable.set = true;
        variable.value = std::move(value);
      }
  }

  Machine& machine_;
  Scope* outer_;
  std::unique_ptr<Scope> scope_;
};

Machine::Machine(const Tree& tree, const Context& context, Options options)
    : tree_(tree), context_(context), options_(options) {}

MarkedText Machine::run() {
  MarkedText out;
  out_ = &out;
  const Entered root(*this, tree_.entries, nullptr);
  closed(tree_.body, "the template");
  return out;
}

void Machine::spend(size_t steps) {
  steps_ += steps;
  ensure(steps_ <= options_.limits.steps, "the template took more than ", options_.limits.steps,
         " steps: step limit");
}

Value Machine::made(MarkedText text, bool safe) {
  ensure(text.size() <= options_.limits.bytes, "the template made a text of ", text.size(),
         " bytes, at most ", options_.limits.bytes, " are allowed");
  spend(text.size() / 16);
  return Value(std::move(text), safe);
}

Value Machine::made(std::vector<Value> items, Sequence type) {
  ensure(items.size() <= options_.limits.items, "the template made a list of ", items.size(),
         " items, at most ", options_.limits.items, " are allowed");
  spend(items.size());
  return Value(std::move(items), type);
}

void Machine::write(const MarkedText& text) {
  out_->append(text);
  ensure(out_->size() <= options_.limits.bytes, "the template wrote more than ",
         options_.limits.bytes, " bytes: output limit");
  spend(text.size() / 16);
}

void Machine::write(const Value& value) {
  if (value.is_text()) return write(value.text());
  write(to_text(value));
}

// What ends with its own end: a loop around it is not left from inside.
void Machine::closed(const std::vector<NodePtr>& body, const char* what) {
  ensure(run(body) == Flow::on, "break or continue out of ", what);
}

MarkedText Machine::captured(const std::vector<NodePtr>& body, const char* what) {
  MarkedText text;
  MarkedText* const outer = std::exchange(out_, &text);
  closed(body, what);
  out_ = outer;
  return text;
}

Machine::Flow Machine::run(const std::vector<NodePtr>& body) {
  for (const NodePtr& node : body)
    if (const Flow flow = run(*node); flow != Flow::on) return flow;
  return Flow::on;
}

Machine::Flow Machine::run(const Node& node) {
  line_ = node.line;
  spend(1);
  switch (node.kind) {
    case Kind::data: write(node.value); break;
    case Kind::print:
      for (const NodePtr& item : node.items) write(eval(*item));
      break;
    case Kind::if_: return branch(node);
    case Kind::for_: return loop(node);
    case Kind::set: assign(*node.target, eval(*node.from)); break;
    case Kind::set_block: {
      Value value;
      {
        const Entered entered(*this, node.entries, scope_);
        value = made(captured(node.body, "a set block"));
        if (node.from) value = filtered(*node.from, &value);
      }
      assign(*node.target, std::move(value));
      break;
    }
    case Kind::macro: assign(*node.target, Value(new_macro(node))); break;
    case Kind::call_block: {
      Args args = arguments(*node.from);
      args.named.emplace_back("caller", Value(new_macro(node)));
      write(call(eval(*node.from->from), std::move(args)));
      break;
    }
    case Kind::filter_block: {
      const Entered entered(*this, node.entries, scope_);
      const Value text = made(captured(node.body, "a filter block"));
      write(filtered(*node.from, &text));
      break;
    }
    case Kind::with: {
      std::vector<Value> values;
      for (const NodePtr& value : node.other) values.push_back(eval(*value));
      const Entered entered(*this, node.entries, scope_);
      for (size_t i = 0; i < values.size(); ++i) assign(*node.items[i], std::move(values[i]));
      return run(node.body);
    }
    case Kind::generation: {
      const Entered entered(*this, node.entries, scope_);
      closed(node.body, "a generation block");
      break;
    }
    case Kind::break_: return Flow::broken;
    case Kind::continue_: return Flow::continued;
    default: fail("an expression stands where a statement should");
  }
  return Flow::on;
}

Machine::Flow Machine::branch(const Node& node) {
  if (eval(*node.condition).truth()) return run(node.body);
  for (const NodePtr& other : node.items) {
    line_ = other->line;
    if (eval(*other->condition).truth()) return run(other->body);
  }
  return run(node.other);
}

Machine::Flow Machine::loop(const Node& node) {
  const auto state = std::make_shared<Loop>();
  const Value from = eval(*node.from);
  state->items = iterate(from);
  spend(state->items.size());
  if (from.is_list() && from.sequence() == Sequence::generator) state->known_length = -1;
  if (node.condition)
    state->takes = [this, &node](const Value& value) {
      const Entered entered(*this, node.test_entries, scope_);
      assign(*node.target, value);
      return eval(*node.condition).truth();
    };
  else
    state->known_length = static_cast<int64_t>(state->items.size());
  bool whole = false;  // an iteration came to its end: then there is no else
  const auto loop_name = std::find(tree_.names.begin(), tree_.names.end(), "loop");
  const int number =
      loop_name == tree_.names.end() ? -1 : static_cast<int>(loop_name - tree_.names.begin());
  Flow flow = Flow::on;
  while (flow != Flow::broken && state->advance()) {
    spend(1);
    Entered entered(*this, node.entries, scope_);
    if (number >= 0) entered.set(number, Value(state));
    assign(*node.target, state->current);
    flow = run(node.body);
    whole = whole || flow == Flow::on;
  }
  state->over = true;
  state->takes = nullptr;
  state->last_changed.clear();
  if (whole || node.other.empty()) return Flow::on;
  const Entered entered(*this, node.other_entries, scope_);
  return run(node.other);
}

void Machine::assign(const Node& target, Value value) {
  if (target.kind == Kind::tuple) {
    const std::vector<Value> parts = iterate(value);
    ensure(parts.size() == target.items.size(), "found ", parts.size(),
           " values to unpack, wanted ", target.items.size());
    for (size_t i = 0; i < parts.size(); ++i) assign(*target.items[i], parts[i]);
    return;
  }
  if (target.kind == Kind::ns_name) {
    const Value space = name(target.name);
    ensure(space.is(Value::Kind::space), "cannot assign attribute on non-namespace object");
    ensure(!target.text.starts_with('_'), "a namespace takes no attribute that starts with '_': '",
           target.text, "'");
    space.space().attributes.set(Value(std::string_view(target.text)), std::move(value));
    return;
  }
  for (Scope::Variable& variable : scope_->variables)
    if (variable.name == target.name) {
      variable.set = true;
      variable.value = std::move(value);
      return;
    }
  fail("the name '", tree_.names[static_cast<size_t>(target.name)], "' is not known here");
}

// Calls

const Macro* Machine::new_macro(const Node& node) {
  for (Scope* scope = scope_; scope && !scope->kept; scope = scope->parent) scope->kept = true;
  spend(4);
  return macros_.emplace_back(std::make_unique<Macro>(Macro{&node, scope_})).get();
}

// The argument of that name, which is gone from the others after that; false: there is none.
static std::pair<bool, Value> take_named(Args& args, std::string_view name) {
  for (auto it = args.named.begin(); it != args.named.end(); ++it)
    if (it->first == name) {
      Value value = std::move(it->second);
      args.named.erase(it);
      return {true, std::move(value)};
    }
  return {false, Value()};
}

Value Machine::call_macro(const Macro& macro, Args args) {
  const Node& node = *macro.node;
  const std::string& called = node.text;
  ensure(++calls_ <= options_.limits.calls, "macros call each other more than ",
         options_.limits.calls, " deep: recursion limit");
  Entered entered(*this, node.entries, macro.scope);
  const size_t count = node.items.size(), given = std::min(count, args.at.size());
  std::vector<bool> absent(count);
  for (size_t i = 0; i < count; ++i) {
    const int number = node.items[i]->name;
    if (i < given) {
      entered.set(number, args.at[i]);
    } else if (auto [found, value] = take_named(args, tree_.names[static_cast<size_t>(number)]);
               found) {
      entered.set(number, std::move(value));
    } else {
      absent[i] = true;
    }
  }
  const auto special = [&](const char* name, Value value) {
    const auto at = std::find(tree_.names.begin(), tree_.names.end(), name);
    entered.set(static_cast<int>(at - tree_.names.begin()), std::move(value));
  };
  if (node.takes_caller) {
    auto [found, value] = take_named(args, "caller");
    special("caller", found ? value : Value::undefined("No caller defined"));
  }
  if (node.takes_kwargs) {
    Dict rest;
    for (auto& [name, value] : args.named) rest.set(std::string_view(name), std::move(value));
    special("kwargs", Value(std::move(rest)));
  } else if (!args.named.empty()) {
    fail("macro '", called, "' takes no keyword argument '", args.named[0].first, "'");
  }
  if (node.takes_varargs)
    special("varargs",
            Value(std::vector<Value>(args.at.begin() + static_cast<int64_t>(given), args.at.end()),
                  Sequence::tuple));
  else
    ensure(args.at.size() <= count, "macro '", called, "' takes not more than ", count,
           " argument(s)");
  for (size_t i = 0; i < count; ++i) {
    if (!absent[i]) continue;
    const size_t first = count - node.named.size();
    const std::string& name = tree_.names[static_cast<size_t>(node.items[i]->name)];
    entered.set(node.items[i]->name,
                i >= first ? eval(*node.named[i - first].second)
                           : Value::undefined("parameter '" + name + "' was not provided"));
  }
  Value out = made(captured(node.body, "a macro"));
  --calls_;
  return out;
}

}  // namespace jogak::jinja
