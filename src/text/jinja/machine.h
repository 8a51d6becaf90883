// Runs a template's tree. Steps, text and calls within calls are limited, so that no template runs
// without end.
#pragma once

#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/jinja/node.h"

namespace jogak::jinja {

struct Limits {
  size_t steps = 20'000'000;  // parts of the tree evaluated, and 16 bytes of text made
  size_t bytes = 16 << 20;    // of one text, the result among them
  size_t items = 1'000'000;   // of one list
  int calls = 64;             // macros within each other
};

using Context = std::map<std::string, Value, std::less<>>;

class Raised : public Error {  // by raise_exception: the template refuses the conversation
 public:
  using Error::Error;
};

struct Args {
  std::vector<Value> at{};
  std::vector<std::pair<std::string, Value>> named{};
};

// Arguments in the order of a function's parameters; absent ones are null. `what` opens errors.
struct Bound {
  std::vector<const Value*> values;
  const Value* operator[](size_t i) const { return values[i]; }
  bool flag(size_t i, bool otherwise) const { return values[i] ? values[i]->truth() : otherwise; }
};
Bound bind(const Args& args, std::string_view what, std::initializer_list<std::string_view> names,
           size_t required = 0);

// Names and values of one entered scope.
struct Scope {
  struct Variable {
    int name;
    bool set;
    Value value;
  };
  Scope* parent = nullptr;
  std::vector<Variable> variables{};
  bool kept = false;  // a macro made in it may be called later

  Variable* find(int name);
};

struct Macro {
  const Node* node;
  Scope* scope;
};

struct Loop {
  std::vector<Value> items{};
  size_t next = 0;                            // of the items
  std::function<bool(const Value&)> takes{};  // the loop's own condition
  std::vector<Value> found{};                 // looked at ahead of time: at most one
  int64_t index0 = -1, known_length = -1;
  Value before{}, current{};
  std::vector<Value> last_changed{};
  bool changed_called = false, over = false;

  bool peek();  // whether there is another item; it waits in `found`
  bool advance();
  int64_t length();
};

class Machine {
 public:
  struct Options {
    Limits limits{};
    std::tm now{};
  };
  Machine(const Tree& tree, const Context& context, Options options);

  MarkedText run();
  int line() const { return line_; }  // where it is

  // For filters, tests and methods.
  void spend(size_t steps);
  Value made(MarkedText text, bool safe = false);  // within the limit of bytes
  Value made(std::vector<Value> items, Sequence type = Sequence::list);
  Value attribute(const Value& of, std::string_view name);
  Value item(const Value& of, const Value& key);
  Value path(Value of, const Value& name);  // "a.b.0" of attribute=...
  Value call(const Value& callee, Args args);
  const std::tm& now() const { return options_.now; }

 private:
  enum class Flow { on, broken, continued };
  struct Entered;  // a scope, as long as it is being run

  // Statements
  Flow run(const std::vector<NodePtr>& body);
  Flow run(const Node& node);
  Flow branch(const Node& node);
  Flow loop(const Node& node);
  void closed(const std::vector<NodePtr>& body, const char* what);
  MarkedText captured(const std::vector<NodePtr>& body, const char* what);
  void assign(const Node& target, Value value);
  void write(const Value& value);
  void write(const MarkedText& text);

  // Expressions
  Value eval(const Node& node);
  Value gathered(const Node& node);
  Value name(int number);
  Value resolve(const std::string& name) const;
  bool resolves(const std::string& name) const;
  Value compared(const Node& node);
  Value sliced(const Value& of, const Node& slice);
  Value filtered(const Node& node, const Value* input);
  Args arguments(const Node& node);
  Value method(const Value& of, std::string_view name);

  // Calls
  const Macro* new_macro(const Node& node);
  Value call_macro(const Macro& macro, Args args);
  Value call_global(const std::string& name, const Args& args);
  Value new_namespace(const Args& args);

  const Tree& tree_;
  const Context& context_;
  Options options_;
  size_t steps_ = 0;
  int calls_ = 0, line_ = 1;
  Scope* scope_ = nullptr;
  MarkedText* out_ = nullptr;
  std::vector<std::unique_ptr<Scope>> kept_;
  std::vector<std::unique_ptr<Macro>> macros_;
  std::vector<std::unique_ptr<Namespace>> spaces_;
};

}  // namespace jogak::jinja
