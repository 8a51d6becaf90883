#include "text/jinja/scopes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "text/jinja/filters.h"
#include "text/jinja/tests.h"

namespace jogak::jinja {
namespace {

using Kind = Node::Kind;

// Names of one scope, and those around it.
struct Symbols {
  const Symbols* parent = nullptr;
  std::map<int, Load> loads{};
  std::set<int> stores{};

  bool knows(int name) const { return loads.contains(name) || (parent && parent->knows(name)); }
  bool outside(int name) const { return parent && parent->knows(name); }

  void load(int name) {
    if (!knows(name)) loads[name] = Load::resolve;
  }
  void store(int name) {
    stores.insert(name);
    if (!loads.contains(name)) loads[name] = outside(name) ? Load::alias : Load::undefined;
  }
  void parameter(int name) {
    stores.insert(name);
    loads[name] = Load::parameter;
  }
  // What branches set may be set or not: before that it is what it was outside.
  void join(const std::vector<Symbols>& branches) {
    std::set<int> fresh;
    for (const Symbols& branch : branches)
      for (const int name : branch.stores)
        if (!stores.contains(name)) fresh.insert(name);
    for (const Symbols& branch : branches) {
      for (const auto& [name, how] : branch.loads) loads[name] = how;
      stores.insert(branch.stores.begin(), branch.stores.end());
    }
    for (const int name : fresh) loads[name] = outside(name) ? Load::alias : Load::resolve;
  }
  Entries entries() const {
    Entries out;
    for (const auto& [name, how] : loads) out.push_back({name, how});
    return out;
  }
};

enum class As { load, store, parameter };

class Finder {
 public:
  explicit Finder(Tree& tree) : tree_(tree) {
    for (size_t i = 0; i < tree.names.size(); ++i) numbers_[tree.names[i]] = static_cast<int>(i);
  }

  void run() {
    Symbols root;
    visit(tree_.body, root);
    tree_.entries = root.entries();
    scopes(tree_.body, root, false);
  }

 private:
  void visit(const std::vector<NodePtr>& nodes, Symbols& in) {
    for (const NodePtr& node : nodes)
      if (node) visit(*node, in);
  }

  void names(const Node& target, Symbols& in, As as) {
    if (target.kind == Kind::tuple) {
      for (const NodePtr& item : target.items) names(*item, in, as);
    } else if (target.kind == Kind::ns_name) {
      in.load(target.name);
    } else if (as == As::parameter) {
      in.parameter(target.name);
    } else {
      in.store(target.name);
    }
  }

  // What a node means for the scope it stands in; the scopes it opens are looked at later.
  void visit(const Node& node, Symbols& in) {
    switch (node.kind) {
      case Kind::name: return in.load(node.name);
      case Kind::if_: {
        visit(*node.condition, in);
        std::vector<Symbols> branches(3, in);
        visit(node.body, branches[0]);
        visit(node.items, branches[1]);
        visit(node.other, branches[2]);
        return in.join(branches);
      }
      case Kind::set: visit(*node.from, in); return names(*node.target, in, As::store);
      case Kind::set_block: return names(*node.target, in, As::store);
      case Kind::macro: return in.store(node.target->name);
      case Kind::for_:
      case Kind::call_block:
      case Kind::filter_block: return visit(*node.from, in);
      case Kind::with: return visit(node.other, in);
      case Kind::generation: return;
      default: each_child(node, [&](const Node& child) { visit(child, in); });
    }
  }

  // Scopes within these nodes. `soft`: within a branch, where an unknown filter may stand.
  void scopes(const std::vector<NodePtr>& nodes, const Symbols& in, bool soft) {
    for (const NodePtr& node : nodes)
      if (node) scopes(*node, in, soft);
  }

  void scopes(Node& node, const Symbols& in, bool soft) {
    switch (node.kind) {
      case Kind::if_:
      case Kind::choice: return children(node, in, true);
      case Kind::filter:
        if (!soft && !is_filter(node.text))
          fail("line ", node.line, ": the filter '", node.text, "' is not supported");
        return children(node, in, soft);
      case Kind::test:
        if (!soft && !is_test(node.text))
          fail("line ", node.line, ": the test '", node.text, "' is not supported");
        return children(node, in, soft);
      case Kind::for_: return loop(node, in, soft);
      case Kind::macro:
      case Kind::call_block:
      case Kind::generation: return macro(node, in, soft);
      case Kind::filter_block:
      case Kind::set_block: {
        Symbols inner{&in};
        visit(node.body, inner);
        if (node.from) visit(*node.from, inner);
        node.entries = inner.entries();
        scopes(node.body, inner, false);
        if (node.from) scopes(*node.from, inner, false);
        return;
      }
      case Kind::with: {
        Symbols inner{&in};
        for (const NodePtr& target : node.items) names(*target, inner, As::parameter);
        visit(node.body, inner);
        node.entries = inner.entries();
        scopes(node.other, in, soft);
        return scopes(node.body, inner, false);
      }
      default: return children(node, in, soft);
    }
  }

  void children(Node& node, const Symbols& in, bool soft) {
    each_child(node, [&](Node& child) { scopes(child, in, soft); });
  }

  void loop(Node& node, const Symbols& in, bool soft) {
    scopes(*node.from, in, soft);
    const int loop_name = number("loop");
    Symbols body{&in}, other{&in}, test{&in};
    if (loop_name >= 0) {
      if (stores(node, loop_name)) fail("line ", node.line, ": 'loop' cannot be set in a loop");
      body.parameter(loop_name);
    }
    names(*node.target, body, As::parameter);
    visit(node.body, body);
    node.entries = body.entries();
    scopes(node.body, body, false);
    visit(node.other, other);
    node.other_entries = other.entries();
    scopes(node.other, other, false);
    if (!node.condition) return;
    names(*node.target, test, As::parameter);
    visit(*node.condition, test);
    node.test_entries = test.entries();
    scopes(*node.condition, test, false);
  }

  void macro(Node& node, const Symbols& in, bool soft) {
    if (node.kind == Kind::call_block) scopes(*node.from, in, soft);
    Symbols inner{&in};
    for (const NodePtr& parameter : node.items) names(*parameter, inner, As::parameter);
    for (const auto& [name, value] : node.named) visit(*value, inner);
    visit(node.body, inner);
    const auto takes = [&](const char* name) {
      const int wanted = number(name);
      if (wanted < 0 || node.kind == Kind::generation || !mentions(node.body, wanted)) return false;
      inner.parameter(wanted);
      return true;
    };
    node.takes_caller = takes("caller");
    node.takes_kwargs = takes("kwargs");
    node.takes_varargs = takes("varargs");
    node.entries = inner.entries();
    for (const auto& [name, value] : node.named) scopes(*value, inner, false);
    scopes(node.body, inner, false);
  }

  int number(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }

  static bool mentions(const std::vector<NodePtr>& nodes, int name) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const NodePtr& node) { return node && mentions(*node, name); });
  }
  static bool mentions(const Node& node, int name) {
    if (node.kind == Kind::name && node.name == name) return true;
    bool found = false;
    each_child(node, [&](const Node& child) { found = found || mentions(child, name); });
    return found;
  }
  static bool stores(const Node& node, int name) {
    const bool sets = node.kind == Kind::set || node.kind == Kind::set_block ||
                      node.kind == Kind::for_ || node.kind == Kind::macro;
    if (sets && node.target->kind == Kind::name && node.target->name == name) return true;
    bool found = false;
    each_child(node, [&](const Node& child) { found = found || stores(child, name); });
    return found;
  }

  Tree& tree_;
  std::map<std::string, int, std::less<>> numbers_;
};

}  // namespace

void find_scopes(Tree& tree) { Finder(tree).run(); }

}  // namespace jogak::jinja
