#include "text/jinja/lexer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "text/jinja/literals.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

// Line ends are one character, and the last one of the template does not count.
std::string with_plain_lines(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      i += i + 1 < source.size() && source[i + 1] == '\n';
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : text_(with_plain_lines(source)) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) outside();
    tokens_.push_back({Token::Kind::end, line_, {}});
    return std::move(tokens_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... parts) const {
    fail("line ", line_, ": ", parts...);
  }
  std::string_view rest() const { return std::string_view(text_).substr(at_); }
  bool starts(std::string_view with) const { return rest().starts_with(with); }
  void add(Token::Kind kind, std::string text = {}) {
    tokens_.push_back({kind, line_, std::move(text)});
  }
  // Moves on, counts lines, and remembers whether a line starts here.
  void pass(size_t bytes) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<int64_t>(at_),
                                         text_.begin() + static_cast<int64_t>(at_ + bytes), '\n'));
    at_ += bytes;
    if (bytes > 0) line_starts_ = text_[at_ - 1] == '\n';
  }
  void pass_space() { pass(text::leading_space(rest())); }

  // Text up to the next tag, then the tag.
  void outside() {
    size_t tag = at_;
    for (; tag < text_.size(); ++tag) {
      tag = text_.find('{', tag);
      if (tag >= text_.size() - 1 || tag == std::string::npos) {
        tag = text_.size();
        break;
      }
      if (text_[tag + 1] == '{' || text_[tag + 1] == '%' || text_[tag + 1] == '#') break;
    }
    if (tag >= text_.size()) {
      add(Token::Kind::data, std::string(rest()));
      return pass(rest().size());
    }
    const char kind = text_[tag + 1];
    const char sign = tag + 2 < text_.size() ? text_[tag + 2] : '\0';
    data(tag, sign, kind != '{');
    pass(sign == '-' || sign == '+' ? 3 : 2);
    if (kind == '#') return comment();
    if (kind == '%' && raw()) return;
    add(kind == '{' ? Token::Kind::print_begin : Token::Kind::block_begin);
    inside(kind == '{' ? "}}" : "%}",
           kind == '{' ? Token::Kind::print_end : Token::Kind::block_end);
  }

  void data(size_t end, char sign, bool strips_line) {
    std::string_view text = rest().substr(0, end - at_);
    const size_t whole = text.size();
    if (sign == '-') {
      text.remove_suffix(text::trailing_space(text));
    } else if (sign != '+' && strips_line) {
      const size_t line = text.rfind('\n') + 1;  // 0 where there is none
      const std::string_view last = text.substr(line);
      if ((line > 0 || line_starts_) && !last.empty() && text::leading_space(last) == last.size())
        text = text.substr(0, line);
    }
    if (!text.empty()) add(Token::Kind::data, std::string(text));
    pass(whole);
  }

  // The end of a tag, and what it takes with it: "-" all space, otherwise one line end.
  size_t tag_end(std::string_view end, bool trims_line) {
    if (starts(end)) {
      const bool line = trims_line && at_ + 2 < text_.size() && text_[at_ + 2] == '\n';
      return line ? 3 : 2;
    }
    if (starts("+") && trims_line && rest().substr(1).starts_with(end)) return 3;
    if (starts("-") && rest().substr(1).starts_with(end))
      return 3 + text::leading_space(rest().substr(3));
    return 0;
  }

  void comment() {
    const size_t end = text_.find("#}", at_);
    if (end == std::string::npos) wrong("a comment is not closed, wanted '#}'");
    const size_t sign = end > at_ && (text_[end - 1] == '-' || text_[end - 1] == '+') ? 1 : 0;
    pass(end - sign - at_);
    pass(tag_end("#}", true));
  }

  bool raw() {
    const size_t start = at_;
    const auto back = [&] {  // nothing was there that counts lines
      at_ = start;
      return false;
    };
    const int line = line_;
    pass_space();
    if (!starts("raw")) return line_ = line, back();
    pass(3);
    pass_space();
    const bool minus = starts("-%}");
    if (!minus && !starts("%}")) return line_ = line, back();
    pass(minus ? 3 : 2);
    if (minus) pass_space();
    for (size_t tag = at_; (tag = text_.find("{%", tag)) != std::string::npos; tag += 2) {
      size_t word = tag + 2;
      const char sign = word < text_.size() ? text_[word] : '\0';
      word += sign == '-' || sign == '+';
      word += text::leading_space(std::string_view(text_).substr(word));
      if (std::string_view(text_).substr(word, 6) != "endraw") continue;
      word += 6;
      word += text::leading_space(std::string_view(text_).substr(word));
      const size_t here = std::exchange(at_, word);
      const size_t closes = tag_end("%}", true);
      at_ = here;
      if (closes == 0) continue;
      data(tag, sign, true);
      pass(word + closes - tag);
      return true;
    }
    wrong("a raw block is not closed, wanted '{% endraw %}'");
  }

  void inside(std::string_view end, Token::Kind kind) {
    const int from = line_;
    std::string open;  // brackets that wait for their other half
    while (at_ < text_.size()) {
      if (open.empty()) {
        if (const size_t size = tag_end(end, kind == Token::Kind::block_end)) {
          add(kind);
          return pass(size);
        }
      }
      if (const size_t space = text::leading_space(rest())) {
        pass(space);
        continue;
      }
      word(open);
    }
    fail("line ", from, ": a tag is not closed, wanted '", end, "'");
  }

  void word(std::string& open) {
    const bool after_dot = at_ > 0 && text_[at_ - 1] == '.';
    const Literal literal = literal_here(after_dot);
    if (literal.size > 0) {
      add(literal.kind, literal.text);
      return pass(literal.size);
    }
    static constexpr std::string_view kTwo[] = {"**", "//", "==", "!=", ">=", "<="};
    static constexpr std::string_view kOne = "+-/*%~[](){}><=.:|,;";
    for (const std::string_view op : kTwo)
      if (starts(op)) {
        add(Token::Kind::op, std::string(op));
        return pass(2);
      }
    const char c = text_[at_];
    if (kOne.find(c) == std::string_view::npos)
      wrong("unexpected character '", rest().substr(0, text::size_from_first(c)), "'");
    bracket(c, open);
    add(Token::Kind::op, std::string(1, c));
    pass(1);
  }

  Literal literal_here(bool after_dot) const {
    try {
      return read_literal(rest(), after_dot);
    } catch (const Error& error) {
      wrong(error.what());
    }
  }

  void bracket(char c, std::string& open) const {
    if (c == '(') open += ')';
    if (c == '[') open += ']';
    if (c == '{') open += '}';
    if (c != ')' && c != ']' && c != '}') return;
    if (open.empty()) wrong("unexpected '", c, "'");
    if (open.back() != c) wrong("unexpected '", c, "', expected '", open.back(), "'");
    open.pop_back();
  }

  std::string text_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starts_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  const size_t bad = utf8::first_invalid(source);
  ensure(bad == std::string_view::npos, "byte ", bad, ": found bytes that are not UTF-8");
  return Lexer(source).run();
}

}  // namespace jogak::jinja
