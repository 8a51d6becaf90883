#include "text/regex/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "text/reading.h"
#include "text/regex/class.h"

namespace jogak::text::regex {
namespace {

using Kind = Node::Kind;
using Op = Instruction::Op;

constexpr size_t kMostInstructions = 20000;

// A look at a single character, or at nothing: what may stand there.
struct NextTest {
  CodeSet set{};
  bool edge = false;
};

std::optional<NextTest> single_test(const Node& node, bool behind) {
  if (node.kind == Kind::set) return NextTest{node.set, false};
  if (node.kind == (behind ? Kind::text_start : Kind::text_end)) return NextTest{{}, true};
  if (node.kind == Kind::line_end && !behind) return NextTest{{'\n', '\n'}, true};
  if (node.kind != Kind::choice) return {};
  NextTest out;
  for (const Node& part : node.parts) {
    const auto test = single_test(part, behind);
    if (!test) return {};
    out.set.add(test->set);
    out.edge = out.edge || test->edge;
  }
  return out;
}

// Characters of every match; nothing when that is not one number.
std::optional<uint32_t> fixed_length(const Node& node) {
  switch (node.kind) {
    case Kind::set: return 1;
    case Kind::sequence: {
      uint32_t sum = 0;
      for (const Node& part : node.parts) {
        const auto length = fixed_length(part);
        if (!length) return {};
        sum += *length;
      }
      return sum;
    }
    case Kind::choice: {
      const auto length = fixed_length(node.parts[0]);
      for (size_t i = 1; i < node.parts.size(); ++i)  // each is asked once: they may be nested
        if (fixed_length(node.parts[i]) != length) return {};
      return length;
    }
    case Kind::repeat: {
      const auto length = fixed_length(node.parts[0]);
      if (!length || node.least != node.most) return {};
      return *length * static_cast<uint32_t>(node.least);
    }
    case Kind::atomic: return fixed_length(node.parts[0]);
    default: return 0;
  }
}

}  // namespace

// Every function writes the instructions of a node that go on at `next` and gives their start.
class Compiler {
 public:
  Compiler(Program& program, std::string_view pattern, const std::string& place)
      : program_(program), pattern_(pattern), place_(place) {}

  void compile(const Node& root) {
    program_.start_ = node(root, put({.op = Op::end}));
    for (const Check& check : checks_)
      program_.looks_before_ =
          program_.looks_before_ || !check.at_start || check.before != CodeSet::all();
    program_.sort_characters(sets_, checks_, place_);
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail<FormatError>(place_, ": the regular expression ", shown(pattern_), " ", what);
  }

  uint32_t put(Instruction instruction) {
    if (program_.code_.size() >= kMostInstructions) wrong("is too large");
    if (instruction.op == Op::split) instruction.index = program_.splits_++;
    program_.code_.push_back(instruction);
    return static_cast<uint32_t>(program_.code_.size() - 1);
  }

  template <class Item>
  static uint32_t index_of(std::vector<Item>& list, Item item) {
    const auto found = std::find(list.begin(), list.end(), item);
    if (found != list.end()) return static_cast<uint32_t>(found - list.begin());
    list.push_back(std::move(item));
    return static_cast<uint32_t>(list.size() - 1);
  }

  uint32_t check(Check what, uint32_t next) {
    return put({.op = Op::check, .next = next, .index = index_of(checks_, std::move(what))});
  }
  uint32_t split(uint32_t first, uint32_t second) {
    return put({.op = Op::split, .next = first, .other = second});
  }

  uint32_t node(const Node& n, uint32_t next) {
    switch (n.kind) {
      case Kind::nothing: return next;
      case Kind::set: return put({.op = Op::set, .next = next, .index = index_of(sets_, n.set)});
      case Kind::sequence:
        for (size_t i = n.parts.size(); i-- > 0;) next = node(n.parts[i], next);
        return next;
      case Kind::choice: {
        uint32_t start = node(n.parts.back(), next);
        for (size_t i = n.parts.size() - 1; i-- > 0;) start = split(node(n.parts[i], next), start);
        return start;
      }
      case Kind::repeat: return repeat(n, next);
      case Kind::atomic: return atomic(n.parts[0], next);
      case Kind::look: return look(n, next);
      default: return place(n.kind, next);
    }
  }

  uint32_t repeat(const Node& n, uint32_t next) {
    const Node& part = n.parts[0];
    if (n.greed == Node::Greed::possessive) {
      Node greedy = n;
      greedy.greed = Node::Greed::greedy;
      if (part.kind != Kind::set) return atomic(greedy, next);
      // Of single characters: all there are, so none may follow.
      const uint32_t none = check({.after = part.set.inverted()}, next);
      if (n.most == kNoLimit) return repeat(greedy, none);
      return split(node(part, next), none);
    }
    const bool lazy = n.greed == Node::Greed::lazy;
    uint32_t start = next;
    if (n.most == kNoLimit) {
      start = split(0, 0);
      const uint32_t body = node(part, start);
      program_.code_[start].next = lazy ? next : body;
      program_.code_[start].other = lazy ? body : next;
    } else {
      for (int i = n.least; i < n.most; ++i) {
        const uint32_t body = node(part, start);
        start = lazy ? split(next, body) : split(body, next);
      }
    }
    for (int i = 0; i < n.least; ++i) {
      const uint32_t before = start;
      start = node(part, before);
      if (start == before) break;  // of nothing, many are nothing too
    }
    return start;
  }

  uint32_t atomic(const Node& part, uint32_t next) {
    program_.has_lookaround_ = true;
    const uint32_t body = node(part, put({.op = Op::end}));
    return put({.op = Op::atomic, .next = next, .other = body});
  }

  uint32_t look(const Node& n, uint32_t next) {
    const Node& part = n.parts[0];
    if (const auto test = single_test(part, n.behind)) {
      const CodeSet set = n.negated ? test->set.inverted() : test->set;
      const bool edge = n.negated != test->edge;
      return n.behind ? check({.before = set, .at_start = edge}, next)
                      : check({.after = set, .at_end = edge}, next);
    }
    program_.has_lookaround_ = true;
    if (n.behind && part.kind == Kind::choice) return look_behind_choice(n, next);
    Instruction out{.op = Op::look, .negated = n.negated, .next = next};
    if (n.behind) {
      const auto length = fixed_length(part);
      if (!length) wrong("looks behind at something without a fixed length: not supported");
      out.back = *length;
    }
    out.other = node(part, put({.op = Op::end}));
    return put(out);
  }

  // The ways may differ in length: each becomes a look of its own.
  uint32_t look_behind_choice(const Node& n, uint32_t next) {
    uint32_t start = next;
    for (size_t i = n.parts[0].parts.size(); i-- > 0;) {
      Node one{.kind = Kind::look, .behind = true, .negated = n.negated};
      one.parts.push_back(n.parts[0].parts[i]);
      if (n.negated) {
        start = look(one, start);
      } else {
        const uint32_t way = look(one, next);
        start = i + 1 == n.parts[0].parts.size() ? way : split(way, start);
      }
    }
    return start;
  }

  uint32_t place(Kind kind, uint32_t next) {
    const CodeSet feed('\n', '\n');
    switch (kind) {
      case Kind::text_start: return check({.before = {}}, next);
      case Kind::text_end: return check({.after = {}}, next);
      case Kind::line_end: return check({.after = feed}, next);
      case Kind::line_start: {  // a line feed that ends the text opens no line
        const uint32_t later = check({.before = feed, .at_start = false, .at_end = false}, next);
        return split(check({.before = {}}, next), later);
      }
      case Kind::last_line_end: {
        Node last = {.kind = Kind::look};
        last.parts.push_back({.kind = Kind::sequence});
        last.parts[0].parts.push_back({.kind = Kind::set, .set = feed});
        last.parts[0].parts.push_back({.kind = Kind::text_end});
        return split(check({.after = {}}, next), look(last, next));
      }
      default: break;
    }
    const CodeSet word = escape_class('w', false), other = word.inverted();
    const bool edge = kind == Kind::word_edge;
    const uint32_t opens = check(
        {.before = edge ? other : word, .after = word, .at_start = edge, .at_end = false}, next);
    const uint32_t closes = check(
        {.before = edge ? word : other, .after = other, .at_start = !edge, .at_end = true}, next);
    return split(opens, closes);
  }

  Program& program_;
  std::string_view pattern_;
  const std::string& place_;
  std::vector<CodeSet> sets_;
  std::vector<Check> checks_;
};

Program::Program(std::string_view pattern, const std::string& place) {
  Compiler(*this, pattern, place).compile(parse(pattern, place));
}

// Characters that are in the same sets are one class.
void Program::sort_characters(const std::vector<CodeSet>& sets, const std::vector<Check>& checks,
                              const std::string& place) {
  std::vector<const CodeSet*> all;
  for (const CodeSet& set : sets) all.push_back(&set);
  for (const Check& check : checks) all.insert(all.end(), {&check.before, &check.after});
  std::vector<char32_t> bounds = {0};
  for (const CodeSet* set : all)
    for (const CodeSet::Range& range : set->ranges())
      bounds.insert(bounds.end(), {range.low, range.high + 1});
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  if (bounds.back() > CodeSet::kHighest) bounds.pop_back();
  std::map<std::vector<bool>, uint32_t> numbers;
  std::vector<char32_t> examples;
  for (size_t i = 0; i < bounds.size(); ++i) {
    std::vector<bool> in;
    for (const CodeSet* set : all) in.push_back(set->contains(bounds[i]));
    const auto [found, fresh] = numbers.try_emplace(std::move(in), numbers.size());
    if (fresh) examples.push_back(bounds[i]);
    ensure<FormatError>(numbers.size() < 255, place,
                        ": a regular expression tells more than 254 kinds of characters apart");
    const char32_t end = i + 1 < bounds.size() ? bounds[i + 1] : CodeSet::kHighest + 1;
    if (found->second == 0) continue;
    for (char32_t code = bounds[i]; code < end; ++code)
      class_of_.at(code) = static_cast<uint8_t>(found->second);
  }
  classes_ = static_cast<uint32_t>(examples.size());
  for (const CodeSet& set : sets)
    for (const char32_t code : examples) takes_.push_back(set.contains(code));
  for (const Check& check : checks) {
    for (const char32_t code : examples) {
      before_.push_back(check.before.contains(code));
      after_.push_back(check.after.contains(code));
    }
    before_.push_back(check.at_start);
    after_.push_back(check.at_end);
  }
}

}  // namespace jogak::text::regex
