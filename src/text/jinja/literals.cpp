#include "text/jinja/literals.h"

#include "base/error.h"
#include "base/utf8.h"

namespace jogak::jinja {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int hex_value(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Digits with single underscores between them.
size_t digits(std::string_view s, size_t at) {
  size_t end = at;
  while (end < s.size() && (digit(s[end]) || (s[end] == '_' && end > at && s[end - 1] != '_' &&
                                              end + 1 < s.size() && digit(s[end + 1]))))
    ++end;
  return end - at;
}

std::string without_lines(std::string_view s) {
  std::string out;
  for (const char c : s)
    if (c != '_') out += c;
  return out;
}

Literal read_number(std::string_view s, bool after_dot) {
  if (s[0] == '0' && s.size() > 1 && letter(s[1]))
    if (const char base = static_cast<char>(s[1] | 0x20); base == 'x' || base == 'o' || base == 'b')
      fail("a number in base ", base == 'x' ? 16 : base == 'o' ? 8 : 2, " is not supported");
  size_t end = digits(s, 0);
  bool whole = true;
  if (!after_dot) {
    if (end + 1 < s.size() && s[end] == '.' && digit(s[end + 1])) {
      end += 1 + digits(s, end + 1);
      whole = false;
    }
    size_t power = end;
    if (power < s.size() && (s[power] | 0x20) == 'e') {
      ++power;
      power += power < s.size() && (s[power] == '+' || s[power] == '-');
      if (const size_t more = digits(s, power)) {
        end = power + more;
        whole = false;
      }
    }
  }
  return {whole ? Token::Kind::integer : Token::Kind::number, end, without_lines(s.substr(0, end))};
}

class StringReader {
 public:
  explicit StringReader(std::string_view source) : s_(source) {}

  Literal read() {
    const char quote = s_[0];
    for (at_ = 1; at_ < s_.size(); ++at_) {
      if (s_[at_] == quote) return {Token::Kind::string, at_ + 1, std::move(out_)};
      if (s_[at_] == '\\')
        escape();
      else
        out_ += s_[at_];
    }
    fail("a string is not closed, wanted ", quote);
  }

 private:
  void escape() {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeant = "\a\b\f\n\r\t\v\\'\"";
    if (++at_ >= s_.size()) return;
    const char c = s_[at_];
    if (const size_t known = kLetters.find(c); known != std::string_view::npos)
      out_ += kMeant[known];
    else if (c == '\n')
      return;
    else if (c >= '0' && c <= '7')
      octal();
    else if (c == 'x' || c == 'u' || c == 'U')
      hex(c == 'x' ? 2 : c == 'u' ? 4 : 8);
    else if (c == 'N')
      fail("\\N in a string is not supported");
    else
      (out_ += '\\') += c;
  }

  void octal() {
    char32_t code = 0;
    int count = 0;
    for (; count < 3 && at_ < s_.size() && s_[at_] >= '0' && s_[at_] <= '7'; ++count, ++at_)
      code = code * 8 + static_cast<char32_t>(s_[at_] - '0');
    --at_;
    utf8::append(out_, code);
  }

  void hex(int count) {
    char32_t code = 0;
    for (int i = 0; i < count; ++i) {
      const int value = ++at_ < s_.size() ? hex_value(s_[at_]) : -1;
      ensure(value >= 0, "a string has an escape with too few hexadecimal digits");
      code = code * 16 + static_cast<char32_t>(value);
    }
    ensure(code < 0x110000 && (code < 0xD800 || code > 0xDFFF),
           "a string has an escape that is no character");
    utf8::append(out_, code);
  }

  std::string_view s_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

Literal read_literal(std::string_view source, bool after_dot) {
  if (digit(source[0])) return read_number(source, after_dot);
  if (source[0] == '\'' || source[0] == '"') return StringReader(source).read();
  size_t size = 0;
  while (size < source.size() && (letter(source[size]) || digit(source[size]))) ++size;
  return {Token::Kind::name, size, std::string(source.substr(0, size))};
}

}  // namespace jogak::jinja
