#include "text/regex/parse.h"

#include <utility>

#include "text/regex/class.h"
#include "text/regex/reader.h"

namespace jogak::text::regex {
namespace {

using Kind = Node::Kind;

constexpr size_t kLongestPattern = 1 << 16;

Node of_set(CodeSet set) {
  Node out{.kind = Kind::set};
  out.set = std::move(set);
  return out;
}

Node of_parts(Kind kind, std::vector<Node> parts) {
  if (parts.size() == 1 && (kind == Kind::sequence || kind == Kind::choice))
    return std::move(parts[0]);
  Node out{.kind = parts.empty() ? Kind::nothing : kind};
  out.parts = std::move(parts);
  return out;
}

Node of_part(Kind kind, Node part) {
  Node out{.kind = kind};
  out.parts.push_back(std::move(part));
  return out;
}

struct Options {
  bool any_case = false, dot_takes_all = false, spaced = false;
};

class Parser {
 public:
  Parser(std::string_view pattern, const std::string& place) : in_(pattern, place) {
    if (pattern.size() > kLongestPattern) in_.wrong("is longer than 65536 bytes");
  }

  Node pattern() {
    Node out = choice({}, 0);
    if (!in_.done()) in_.wrong("has a ) without its (");
    return out;
  }

 private:
  Node choice(Options options, int depth) {
    if (depth > kMostDepth) in_.wrong("is nested too deep");
    std::vector<Node> ways;
    do ways.push_back(sequence(options, depth));
    while (in_.take("|"));
    return of_parts(Kind::choice, std::move(ways));
  }

  Node sequence(Options options, int depth) {
    std::vector<Node> parts;
    while (true) {
      if (options.spaced) skip_spaces();
      if (in_.done() || in_.sees("|") || in_.sees(")")) break;
      if (in_.sees("(?#")) {
        skip_comment();
        continue;
      }
      Options changed = options;
      if (in_.sees("(?") && read_options(changed)) {
        if (in_.take(")")) {  // from here to the end of the group, other choices included
          last_literal_ = kNone;
          parts.push_back(choice(changed, depth + 1));
          break;
        }
        in_.take(":");
        last_literal_ = kNone;
        parts.push_back(repeated(group(changed, depth), options));
        continue;
      }
      parts.push_back(repeated(atom(options, depth), options));
    }
    last_literal_ = kNone;
    return of_parts(Kind::sequence, std::move(parts));
  }

  // "(?imx-imx" up to the ':' or ')'. Nothing is read when it is another kind of group.
  bool read_options(Options& options) {
    const size_t start = in_.at();
    in_.take("(?");
    bool on = true;
    while (!in_.done() && !in_.sees(":") && !in_.sees(")")) {
      const char32_t c = in_.next();
      if (c == '-' && on) {
        on = false;
      } else if (c == 'i') {
        options.any_case = on;
      } else if (c == 'm') {
        options.dot_takes_all = on;
      } else if (c == 'x') {
        options.spaced = on;
      } else {
        in_.go_to(start);
        return false;
      }
    }
    return true;
  }

  void skip_spaces() {
    while (!in_.done()) {
      if (in_.take("#")) {
        while (!in_.done() && in_.next() != '\n') continue;
      } else if (std::string_view(" \t\n\r\f\v").find(in_.peek()) != std::string_view::npos) {
        in_.next();
      } else {
        return;
      }
    }
  }

  void skip_comment() {
    while (!in_.take(")"))
      if (in_.next() == '\\') in_.next();
  }

  Node group(Options options, int depth) {  // behind its opening
    Node out = choice(options, depth + 1);
    if (!in_.take(")")) in_.wrong("has a ( without its )");
    return out;
  }

  Node look(bool behind, bool negated, Options options, int depth) {
    Node out = of_part(Kind::look, group(options, depth));
    out.behind = behind;
    out.negated = negated;
    return out;
  }

  Node parenthesis(Options options, int depth) {
    const size_t start = in_.at() - 1;
    if (!in_.take("?")) return group(options, depth);
    if (in_.take(":")) return group(options, depth);
    if (in_.take("=")) return look(false, false, options, depth);
    if (in_.take("!")) return look(false, true, options, depth);
    if (in_.take("<=")) return look(true, false, options, depth);
    if (in_.take("<!")) return look(true, true, options, depth);
    if (in_.take(">")) return of_part(Kind::atomic, group(options, depth));
    if (in_.take("<") && in_.rest().find('>') != std::string_view::npos) {  // a name
      while (!in_.take(">")) in_.next();
      return group(options, depth);
    }
    if (!in_.done()) in_.next();
    in_.unsupported(start);
  }

  Node atom(Options options, int depth) {
    const char32_t before = std::exchange(last_literal_, kNone);
    const char32_t c = in_.next();
    switch (c) {
      case '(': return parenthesis(options, depth);
      case '[': return of_set(read_brackets(in_, options.any_case, depth));
      case '.':
        return of_set(options.dot_takes_all ? CodeSet::all() : CodeSet('\n', '\n').inverted());
      case '^': return {.kind = Kind::line_start};
      case '$': return {.kind = Kind::line_end};
      case '\\': return escaped(before, options);
      case '*':
      case '+':
      case '?': in_.wrong("repeats nothing");
      case '{': {
        Node interval;
        in_.go_to(in_.at() - 1);
        if (read_interval(interval)) in_.wrong("repeats nothing");
        in_.next();
        break;
      }
      default: break;
    }
    return literal(c, before, options);
  }

  Node literal(char32_t code, char32_t before, Options options) {
    last_literal_ = code;
    CodeSet set(code, code);
    if (!options.any_case) return of_set(std::move(set));
    if (folds_to_string(set) || (before != kNone && starts_fold(before, code)))
      in_.wrong("has (?i) letters that also stand for a single letter: not supported");
    return of_set(with_other_case(set));
  }

  Node escaped(char32_t before, Options options) {
    const size_t start = in_.at() - 1;
    Escape escape = read_escape(in_, false);
    if (escape.kind == Escape::Kind::set) return of_set(std::move(escape.set));
    if (escape.kind == Escape::Kind::character) return literal(escape.code, before, options);
    switch (in_.next()) {
      case 'A': return {.kind = Kind::text_start};
      case 'z': return {.kind = Kind::text_end};
      case 'Z': return {.kind = Kind::last_line_end};
      case 'b': return {.kind = Kind::word_edge};
      case 'B': return {.kind = Kind::no_word_edge};
      case 'N': return of_set(CodeSet('\n', '\n').inverted());
      case 'O': return of_set(CodeSet::all());
      case 'R': return any_newline();
      default: in_.unsupported(start);
    }
  }

  // A carriage return never leaves its line feed behind.
  static Node any_newline() {
    CodeSet one('\n', '\f');
    for (const char32_t code : {0x85, 0x2028, 0x2029}) one.add(code, code);
    Node no_feed = of_part(Kind::look, of_set({'\n', '\n'}));
    no_feed.negated = true;
    const Node carriage = of_set({'\r', '\r'});
    return of_parts(Kind::choice,
                    {of_parts(Kind::sequence, {carriage, of_set({'\n', '\n'})}),
                     of_set(std::move(one)), of_parts(Kind::sequence, {carriage, no_feed})});
  }

  Node repeated(Node part, Options options) {
    for (int depth = 0;; ++depth) {
      if (depth > kMostDepth) in_.wrong("is nested too deep");
      if (options.spaced) skip_spaces();
      Node repeat{.kind = Kind::repeat};
      if (in_.take("*")) {
        repeat.most = kNoLimit;
      } else if (in_.take("+")) {
        repeat.least = 1;
        repeat.most = kNoLimit;
      } else if (in_.take("?")) {
        repeat.most = 1;
      } else if (read_interval(repeat)) {
        // "{n}?" repeats the repetition, and only "?", "*", "+" can be possessive.
        if (repeat.least != repeat.most && in_.take("?")) repeat.greed = Node::Greed::lazy;
        last_literal_ = kNone;
        repeat.parts.push_back(std::move(part));
        part = std::move(repeat);
        continue;
      } else {
        return part;
      }
      if (in_.take("?")) {
        repeat.greed = Node::Greed::lazy;
      } else if (in_.take("+")) {
        repeat.greed = Node::Greed::possessive;
      }
      last_literal_ = kNone;
      repeat.parts.push_back(std::move(part));
      part = std::move(repeat);
    }
  }

  // {n} {n,} {,m} {n,m}; anything else in braces is ordinary text.
  bool read_interval(Node& repeat) {
    const size_t start = in_.at();
    if (!in_.take("{")) return false;
    const auto number = [&](bool& given) {
      int value = 0;
      for (given = false; in_.peek() >= '0' && in_.peek() <= '9'; given = true) {
        value = value * 10 + (static_cast<int>(in_.next()) - '0');
        if (value > kMostRepeats) in_.wrong("repeats something more than 1000 times");
      }
      return value;
    };
    bool has_least = false, has_most = false;
    repeat.least = number(has_least);
    repeat.most = repeat.least;
    if (in_.take(",")) {
      repeat.most = number(has_most);
      if (!has_most) repeat.most = kNoLimit;
    }
    if ((!has_least && !has_most) || !in_.take("}")) {
      in_.go_to(start);
      return false;
    }
    if (repeat.most != kNoLimit && repeat.most < repeat.least)
      in_.wrong("has an interval whose end comes before its start");
    return true;
  }

  static constexpr char32_t kNone = 0xFFFFFFFF;
  Reader in_;
  char32_t last_literal_ = kNone;  // directly before, for letters that fold together
};

}  // namespace

Node parse(std::string_view pattern, const std::string& place) {
  return Parser(pattern, place).pattern();
}

}  // namespace jogak::text::regex
