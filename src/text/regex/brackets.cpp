#include <optional>
#include <utility>

#include "text/regex/class.h"
#include "text/regex/reader.h"

namespace jogak::text::regex {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

char32_t read_number(Reader& in, int base, int most_digits) {
  char32_t value = 0;
  for (int i = 0; i < most_digits && digit_value(in.peek()) < base; ++i)
    value =
        value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(char(in.next())));
  if (value > CodeSet::kHighest || (value >= 0xD800 && value < 0xE000))
    in.wrong("names a character that does not exist");
  return value;
}

CodeSet read_property(Reader& in, bool negated) {
  const std::string_view rest = in.rest();
  const size_t end = rest.find('}');
  if (end == std::string_view::npos) in.wrong("has a \\p{ without its }");
  std::string_view name = rest.substr(0, end);
  in.go_to(in.at() + end + 1);
  if (name.starts_with('^')) {
    negated = !negated;
    name.remove_prefix(1);
  }
  const std::optional<CodeSet> set = property(name);
  if (!set) in.wrong(text_of("names the property ", shown(name), ", which is not known"));
  return negated ? set->inverted() : *set;
}

Escape character(char32_t code) { return {Escape::Kind::character, code, {}}; }
Escape set_of(CodeSet set) { return {Escape::Kind::set, 0, std::move(set)}; }

Escape read_hex(Reader& in) {
  if (!in.take("{")) return character(read_number(in, 16, 2));
  const char32_t code = read_number(in, 16, 8);
  if (!in.take("}")) in.wrong("has a \\x{ without its }");
  return character(code);
}

}  // namespace

Escape read_escape(Reader& in, bool in_brackets) {
  const size_t start = in.at();
  const char32_t c = in.next();
  switch (c) {
    case 't': return character('\t');
    case 'n': return character('\n');
    case 'r': return character('\r');
    case 'f': return character('\f');
    case 'v': return character('\v');
    case 'a': return character('\a');
    case 'e': return character(0x1B);
    case 'x': return read_hex(in);
    case 'u': {
      const size_t digits = in.at();
      const char32_t code = read_number(in, 16, 4);
      if (in.at() - digits != 4) in.wrong("has a \\u without four digits");
      return character(code);
    }
    case 'd':
    case 's':
    case 'w':
    case 'h': return set_of(escape_class(static_cast<char>(c), in_brackets));
    case 'D':
    case 'S':
    case 'W':
    case 'H':
      return set_of(escape_class(static_cast<char>(c + ('a' - 'A')), in_brackets).inverted());
    case 'p':
    case 'P':
      if (in.take("{")) return set_of(read_property(in, c == 'P'));
      return character(c);
    case 'c': {
      const char32_t code = in.next();
      if (code >= 0x80 || code == '\\') in.unsupported(start);
      return character(code & 0x1F);
    }
    case '0': return character(read_number(in, 8, 2));
    case 'b':
      if (in_brackets) return character('\b');
      break;
    default:
      if (in_brackets && c >= '1' && c <= '7') {
        in.go_to(start);
        return character(read_number(in, 8, 3));
      }
      if (in_brackets || c >= 0x80 ||
          std::string_view("ABbCGgKkMNORXYyZz123456789").find(static_cast<char>(c)) ==
              std::string_view::npos)
        return character(c);
  }
  in.go_to(start);
  return {};
}

namespace {

// One set of brackets, from behind the '[' to its ']'.
class Brackets {
 public:
  Brackets(Reader& in, bool any_case, int depth) : in_(in), any_case_(any_case), depth_(depth) {}

  CodeSet read() {
    if (depth_ > kMostDepth) in_.wrong("is nested too deep");
    const bool negated = in_.take("^");
    if (in_.sees("]") && in_.rest().find(']', 1) == std::string_view::npos)
      in_.wrong("has an empty set of brackets");
    if (in_.take("]")) add(']', true);  // as the first it stands for itself
    while (!in_.take("]")) item();
    close_side();
    CodeSet out = sides_ ? *sides_ : CodeSet();
    if (any_case_) {
      if (!negated && folds_to_string(out))
        in_.wrong("has (?i) brackets with a character that folds to several: not supported");
      out = with_other_case(out);
    }
    return negated ? out.inverted() : out;
  }

 private:
  void close_side() {  // what stands between two &&
    flush();
    sides_ = sides_ ? sides_->common(side_) : side_;
    side_ = {};
  }

  void flush() {
    if (last_) side_.add(*last_, *last_);
    last_.reset();
  }

  void add(char32_t code, bool may_open_range) {
    flush();
    may_open_range ? void(last_ = code) : side_.add(code, code);
  }

  void add(const CodeSet& set) {
    flush();
    side_.add(set);
    after_set_ = true;
  }

  void item() {
    const bool after_set = std::exchange(after_set_, false);
    const bool after_range = std::exchange(after_range_, false);
    if (in_.done()) in_.wrong("has brackets that do not end");
    if (in_.take("&&")) return close_side();
    if (in_.take("[:")) return posix();
    if (in_.take("[")) return add(Brackets(in_, false, depth_ + 1).read());
    if (in_.take("-")) {
      if (in_.sees("]") || after_range) return add('-', false);
      if (after_set && !in_.sees("]")) in_.wrong("has a range that starts with a class");
      if (!last_) return add('-', true);
      return range();
    }
    if (!in_.take("\\")) return add(in_.next(), true);
    const Escape escape = read_escape(in_, true);
    escape.kind == Escape::Kind::set ? add(escape.set) : add(escape.code, true);
  }

  void range() {
    const char32_t low = *last_;
    char32_t high = 0;
    if (in_.sees("[")) in_.wrong("has a range that ends with a class");
    if (in_.take("\\")) {
      const Escape escape = read_escape(in_, true);
      if (escape.kind == Escape::Kind::set) in_.wrong("has a range that ends with a class");
      high = escape.code;
    } else {
      high = in_.next();
    }
    if (high < low) in_.wrong("has a range whose end comes before its start");
    last_.reset();
    side_.add(low, high);
    after_range_ = true;
  }

  void posix() {
    const bool negated = in_.take("^");
    const std::string_view rest = in_.rest();
    const size_t end = rest.find(":]");
    if (end == std::string_view::npos) in_.wrong("has a [: without its :]");
    const std::optional<CodeSet> set = posix_class(rest.substr(0, end));
    if (!set)
      in_.wrong(text_of("names the class ", shown(rest.substr(0, end)), ", which is not known"));
    in_.go_to(in_.at() + end + 2);
    add(negated ? set->inverted() : *set);
  }

  Reader& in_;
  bool any_case_;
  int depth_;
  std::optional<CodeSet> sides_;
  CodeSet side_;
  std::optional<char32_t> last_;  // may become the start of a range
  bool after_set_ = false, after_range_ = false;
};

}  // namespace

CodeSet read_brackets(Reader& in, bool any_case, int depth) {
  return Brackets(in, any_case, depth).read();
}

}  // namespace jogak::text::regex
