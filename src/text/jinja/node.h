// What a template is parsed to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace jogak::jinja {

struct Node;
using NodePtr = std::unique_ptr<Node>;

// How a name that a scope knows gets its first value when the scope is entered.
enum class Load : uint8_t {
  parameter,  // from the call or the loop
  resolve,    // from what the template was given
  alias,      // from the same name outside
  undefined
};
struct Entry {
  int name;
  Load load;
};
using Entries = std::vector<Entry>;

struct Node {
  enum class Kind : uint8_t {
    // statements
    data,          // value
    print,         // items
    if_,           // condition, body, items: elif nodes, other
    for_,          // target, from, condition (or none), body, other
    set,           // target, from
    set_block,     // target, body, items: filters
    macro,         // name, items: parameters, named: defaults, body
    call_block,    // from: the call, and as a macro
    filter_block,  // items: filters, body
    with,          // items: targets, other: values, body
    generation,    // body
    break_,
    continue_,
    // expressions
    constant,  // value
    name,
    attribute,  // from, text
    ns_name,    // name, text: the attribute
    item,       // from, condition: the key
    slice,      // items: three, each may be null
    call,       // from, items, named, star, stars
    filter,     // from (null in a block), text, items, named, star, stars
    test,       // from, text, items, named
    list,
    tuple,
    dict,     // items: key, value, key, value
    binary,   // text: operator, from, condition
    compare,  // from, items, words: operators
    concat,   // items
    negative,
    positive,
    not_,
    and_,
    or_,
    choice  // condition, from, other (one or none)
  };

  Kind kind = Kind::data;
  int line = 0;
  int depth = 1;  // of the tree below
  int name = -1;  // number of a name
  std::string text{};
  Value value{};
  NodePtr target{}, from{}, condition{}, star{}, stars{};
  std::vector<NodePtr> items{}, body{}, other{};
  std::vector<std::pair<std::string, NodePtr>> named{};
  std::vector<std::string> words{};
  // Of nodes that open scopes (scopes.h).
  Entries entries{}, other_entries{}, test_entries{};
  bool takes_caller = false, takes_kwargs = false, takes_varargs = false;
};

struct Tree {
  std::vector<NodePtr> body;
  std::vector<std::string> names;  // by number
  Entries entries;
};

// Every child of a node, null ones left out.
template <class Use>
void each_child(const Node& node, Use&& use) {
  for (const NodePtr* one : {&node.target, &node.from, &node.condition, &node.star, &node.stars})
    if (*one) use(**one);
  for (const auto* list : {&node.items, &node.body, &node.other})
    for (const NodePtr& one : *list)
      if (one) use(*one);
  for (const auto& [name, one] : node.named)
    if (one) use(*one);
}

}  // namespace jogak::jinja
