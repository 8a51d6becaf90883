#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "text/jinja/filters.h"
#include "text/jinja/operators.h"
#include "text/jinja/print.h"
#include "text/jinja/tests.h"
#include "text/jinja/texts.h"

namespace jogak::jinja {
namespace {

Value length(Machine&, const Value& value, const Args& args) {
  bind(args, "length", {});
  switch (value.kind()) {
    case Value::Kind::undefined: return 0;
    case Value::Kind::text: return utf8::count(value.view());
    case Value::Kind::dict: return value.dict().items.size();
    case Value::Kind::loop: return value.loop().length();
    case Value::Kind::list:
      if (value.sequence() != Sequence::generator) return value.items().size();
      [[fallthrough]];
    default: fail("object of type '", value.type_name(), "' has no len()");
  }
}

Value otherwise(Machine&, const Value& value, const Args& args) {
  const Bound bound = bind(args, "default", {"default_value", "boolean"});
  const bool use = value.is_undefined() || (bound.flag(1, false) && !value.truth());
  return !use ? value : bound[0] ? *bound[0] : Value("");
}

Value listed(Machine& machine, const Value& value, const Args& args) {
  bind(args, "list", {});
  return machine.made(iterate(value));
}

Value first(Machine&, const Value& value, const Args& args) {
  bind(args, "first", {});
  if (value.is_list() && value.sequence() == Sequence::generator) {
    const ListBox& list = value.list();
    if (list.taken < list.items.size()) return list.items[list.taken++];
    return Value::undefined("No first item, sequence was empty.");
  }
  const std::vector<Value> items = iterate(value);
  return items.empty() ? Value::undefined("No first item, sequence was empty.") : items.front();
}

Value last(Machine&, const Value& value, const Args& args) {
  bind(args, "last", {});
  ensure(!value.is_list() || value.sequence() != Sequence::generator,
         "'generator' object is not reversible");
  const std::vector<Value> items = iterate(value);
  return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Value join(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "join", {"d", "attribute"});
  const MarkedText between = bound[0] ? to_text(*bound[0]) : MarkedText();
  const bool path = bound[1] && !bound[1]->is_none();
  MarkedText out;
  bool start = true;
  for (const Value& item : iterate(value)) {
    if (!start) out.append(between);
    start = false;
    out.append(to_text(path ? machine.path(item, *bound[1]) : item));
    machine.spend(1);
  }
  return machine.made(std::move(out));
}

Value items(Machine& machine, const Value& value, const Args& args) {
  bind(args, "items", {});
  ensure(value.is_undefined() || value.is_dict(), "Can only get item pairs from a mapping.");
  std::vector<Value> out;
  if (value.is_dict())
    for (const auto& [key, item] : value.dict().items)
      out.emplace_back(std::vector<Value>{key, item}, Sequence::tuple);
  return machine.made(std::move(out), Sequence::generator);
}

Value small(const Value& value) { return value.is_text() ? Value(lower(value.text())) : value; }

// Sorts by keys; the order of equal ones stays, also backwards.
std::vector<Value> sorted(Machine& machine, const std::vector<Value>& values,
                          const std::vector<Value>& keys, bool backwards) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    machine.spend(1);
    return backwards ? less(keys[b], keys[a]) : less(keys[a], keys[b]);
  });
  std::vector<Value> out;
  for (const size_t i : order) out.push_back(values[i]);
  return out;
}

Value sort(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "sort", {"reverse", "case_sensitive", "attribute"});
  const bool exact = bound.flag(1, false), path = bound[2] && !bound[2]->is_none();
  ensure(!path || !bound[2]->is_text() || bound[2]->view().find(',') == std::string_view::npos,
         "sort by several attributes is not supported");
  const std::vector<Value> all = iterate(value);
  std::vector<Value> keys;
  for (const Value& item : all) {
    const Value key = path ? machine.path(item, *bound[2]) : item;
    keys.push_back(exact ? key : small(key));
  }
  return machine.made(sorted(machine, all, keys, bound.flag(0, false)));
}

Value dict_sort(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "dictsort", {"case_sensitive", "by", "reverse"});
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_dict(), "dictsort: found a ", value.type_name(), ", wanted a dict");
  const std::string by = bound[1] ? to_text(*bound[1]).bytes() : "key";
  ensure(by == "key" || by == "value", "You can only sort by either \"key\" or \"value\"");
  std::vector<Value> all, keys;
  for (const auto& [key, item] : value.dict().items) {
    all.emplace_back(std::vector<Value>{key, item}, Sequence::tuple);
    const Value& one = by == "key" ? key : item;
    keys.push_back(bound.flag(0, false) ? one : small(one));
  }
  return machine.made(sorted(machine, all, keys, bound.flag(2, false)));
}

Value unique(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "unique", {"case_sensitive", "attribute"});
  const bool path = bound[1] && !bound[1]->is_none();
  Dict seen;
  std::vector<Value> out;
  for (const Value& item : iterate(value)) {
    Value key = path ? machine.path(item, *bound[1]) : item;
    if (!bound.flag(0, false)) key = small(key);
    if (seen.find(key)) continue;
    seen.set(key, true);
    out.push_back(item);
  }
  return machine.made(std::move(out), Sequence::generator);
}

Value extreme(Machine& machine, const Value& value, const Args& args, bool largest) {
  const Bound bound = bind(args, largest ? "max" : "min", {"case_sensitive", "attribute"});
  const bool path = bound[1] && !bound[1]->is_none();
  const std::vector<Value> all = iterate(value);
  if (all.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const auto key = [&](const Value& item) {
    const Value one = path ? machine.path(item, *bound[1]) : item;
    return bound.flag(0, false) ? one : small(one);
  };
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (largest ? less(key(all[best]), key(all[i])) : less(key(all[i]), key(all[best]))) best = i;
  return all[best];
}

Value sum(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "sum", {"attribute", "start"});
  const bool path = bound[0] && !bound[0]->is_none();
  Value total = bound[1] ? *bound[1] : Value(0);
  ensure(!total.is_text(), "sum() can't sum strings");
  for (const Value& item : iterate(value))
    total = calculate(machine, "+", total, path ? machine.path(item, *bound[0]) : item);
  return total;
}

Value reverse(Machine& machine, const Value& value, const Args& args) {
  bind(args, "reverse", {});
  if (value.is_text()) {
    const int64_t parts[3] = {0, 0, -1};
    const bool given[3] = {false, false, true};
    return slice_text(machine, value, parts, given);
  }
  std::vector<Value> all = iterate(value);
  std::reverse(all.begin(), all.end());
  const bool generator = value.is_list() && value.sequence() == Sequence::generator;
  return machine.made(std::move(all), generator ? Sequence::list : Sequence::generator);
}

Args rest_of(const Args& args, size_t from) {
  return {{args.at.begin() + static_cast<int64_t>(std::min(from, args.at.size())), args.at.end()},
          args.named};
}

Value map(Machine& machine, const Value& value, const Args& args) {
  std::vector<Value> out;
  if (args.at.empty()) {
    const Bound bound = bind(args, "map", {"attribute", "default"}, 1);
    for (const Value& item : iterate(value)) {
      Value one = machine.path(item, *bound[0]);
      if (one.is_undefined() && bound[1] && !bound[1]->is_none()) one = *bound[1];
      out.push_back(std::move(one));
    }
  } else {
    const std::string name = to_text(args.at[0]).bytes();
    const Args rest = rest_of(args, 1);
    for (const Value& item : iterate(value)) out.push_back(apply_filter(machine, name, item, rest));
  }
  return machine.made(std::move(out), Sequence::generator);
}

Value chosen(Machine& machine, const Value& value, const Args& args, bool by_attribute,
             bool wanted) {
  std::vector<Value> out;
  if (!value.truth()) return machine.made(std::move(out), Sequence::generator);
  const size_t at = by_attribute ? 1 : 0;
  ensure(args.at.size() >= at, "Missing parameter for attribute name");
  const std::string name = args.at.size() > at ? to_text(args.at[at]).bytes() : "";
  const Args rest = rest_of(args, at + 1);
  for (const Value& item : iterate(value)) {
    const Value one = by_attribute ? machine.path(item, args.at[0]) : item;
    const bool passes = args.at.size() > at ? passes_test(machine, name, one, rest) : one.truth();
    if (passes == wanted) out.push_back(item);
  }
  return machine.made(std::move(out), Sequence::generator);
}

template <bool by_attribute, bool wanted>
Value choose(Machine& machine, const Value& value, const Args& args) {
  return chosen(machine, value, args, by_attribute, wanted);
}

Value batch(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "batch", {"linecount", "fill_with"}, 1);
  ensure(bound[0]->is_whole() && bound[0]->whole() > 0 && bound[0]->whole() <= 100'000,
         "batch: the count must be a positive number");
  const auto count = static_cast<size_t>(bound[0]->whole());
  std::vector<Value> out, row;
  for (const Value& item : iterate(value)) {
    if (row.size() == count) out.push_back(machine.made(std::exchange(row, {})));
    row.push_back(item);
  }
  if (!row.empty()) {
    if (bound[1] && !bound[1]->is_none()) row.resize(count, *bound[1]);
    out.push_back(machine.made(std::move(row)));
  }
  return machine.made(std::move(out), Sequence::generator);
}

Value slice(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "slice", {"slices", "fill_with"}, 1);
  ensure(bound[0]->is_whole() && bound[0]->whole() > 0 && bound[0]->whole() <= 100'000,
         "slice: the count must be a positive number");
  const std::vector<Value> all = iterate(value);
  const auto count = static_cast<size_t>(bound[0]->whole());
  const size_t each = all.size() / count, more = all.size() % count;
  std::vector<Value> out;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = each + (i < more);
    std::vector<Value> part(all.begin() + static_cast<int64_t>(at),
                            all.begin() + static_cast<int64_t>(at + size));
    at += size;
    if (bound[1] && !bound[1]->is_none() && i >= more) part.push_back(*bound[1]);
    out.push_back(machine.made(std::move(part)));
  }
  return machine.made(std::move(out), Sequence::generator);
}

}  // namespace

const FilterTable& list_filters() {
  static const FilterTable kTable = {
      {"length", length},
      {"count", length},
      {"default", otherwise},
      {"d", otherwise},
      {"list", listed},
      {"first", first},
      {"last", last},
      {"join", join},
      {"items", items},
      {"sort", sort},
      {"dictsort", dict_sort},
      {"unique", unique},
      {"min", [](Machine& m, const Value& v, const Args& a) { return extreme(m, v, a, false); }},
      {"max", [](Machine& m, const Value& v, const Args& a) { return extreme(m, v, a, true); }},
      {"sum", sum},
      {"reverse", reverse},
      {"map", map},
      {"select", choose<false, true>},
      {"reject", choose<false, false>},
      {"selectattr", choose<true, true>},
      {"rejectattr", choose<true, false>},
      {"batch", batch},
      {"slice", slice},
  };
  return kTable;
}

}  // namespace jogak::jinja
