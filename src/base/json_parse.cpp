#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_document.h"
#include "base/utf8.h"

namespace jogak {
namespace {

// Bytes that a string goes on over: all but the quote, the backslash and control characters.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> out{};
  for (int i = 0x20; i < 256; ++i) out[i] = i != '"' && i != '\\';
  return out;
}();

}  // namespace

// Recursive descent over bytes; recursion is bounded by kMaxDepth.
class JsonReader {
 public:
  explicit JsonReader(JsonDocument& document) : document_(document), text_(document.text_) {}

  void read() {
    ensure<FormatError>(text_.size() < UINT32_MAX, document_.name_, ": found ", text_.size(),
                        " bytes, wanted less than 4 GiB");
    const size_t bad = utf8::first_invalid(text_);
    if (bad != std::string_view::npos) {
      at_ = bad;
      wrong("a byte that is not UTF-8", "UTF-8 text");
    }
    document_.values_.reserve(text_.size() / 12 + 16);
    read_value(0);
    skip_space();
    if (at_ < text_.size()) wrong(found(), "the end of the document");
  }

 private:
  static constexpr int kMaxDepth = 64;

  [[noreturn]] void wrong(const std::string& found, std::string_view wanted) const {
    document_.wrong(at_, found, wanted);
  }

  std::string found() const {
    if (at_ >= text_.size()) return "the end of the text";
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20 || byte == 0x7F) return text_of("byte value ", static_cast<int>(byte));
    const auto next = utf8::decode(text_, at_);
    return text_of("'", text_.substr(at_, next.size), "'");
  }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
      ++at_;
    }
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  JsonDocument::Value& add(Json::Kind kind, size_t start) {
    return document_.values_.emplace_back(
        JsonDocument::Value{static_cast<uint32_t>(start), kind, false, {.integer = 0}});
  }

  void read_value(int depth) {
    skip_space();
    const size_t start = at_;
    const char first = peek();
    if (depth == kMaxDepth && (first == '{' || first == '['))
      wrong("nesting deeper than 64", "at most 64 levels");
    switch (first) {
      case '{': return read_container(Json::Kind::object, depth);
      case '[': return read_container(Json::Kind::array, depth);
      case '"': return read_string();
      case 't':
      case 'f':
        word(first == 't' ? "true" : "false");
        add(Json::Kind::boolean, start).integer = first == 't';
        return;
      case 'n':
        word("null");
        add(Json::Kind::null, start);
        return;
      default: read_number();
    }
  }

  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) wrong(found(), "a JSON value");
    at_ += expected.size();
  }

  void read_container(Json::Kind kind, int depth) {
    const bool object = kind == Json::Kind::object;
    const char close = object ? '}' : ']';
    const size_t index = document_.values_.size();
    add(kind, at_++);
    uint32_t count = 0;
    skip_space();
    for (bool more = peek() != close; more; ++count) {
      if (object) read_key();
      read_value(depth + 1);
      skip_space();
      more = peek() != close;
      if (!more) continue;
      if (peek() != ',') wrong(found(), object ? "',' or '}'" : "',' or ']'");
      ++at_;
    }
    ++at_;
    JsonDocument::Value& value = document_.values_[index];
    value.part.from = static_cast<uint32_t>(document_.values_.size());
    value.part.size = count;
  }

  void read_key() {
    skip_space();
    if (peek() != '"') wrong(found(), "a key in quotes");
    read_string();
    skip_space();
    if (peek() != ':') wrong(found(), "':'");
    ++at_;
  }

  void skip_plain() {
    while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ >= text_.size()) wrong("the end of the text", "a closing quote");
  }

  void read_string() {
    JsonDocument::Value& value = add(Json::Kind::string, at_);
    const size_t start = ++at_;
    skip_plain();
    if (text_[at_] == '"') {
      value.part.from = static_cast<uint32_t>(start);
      value.part.size = static_cast<uint32_t>(at_++ - start);
      return;
    }
    std::string& out = document_.copies_;
    value.copied = true;
    value.part.from = static_cast<uint32_t>(out.size());
    out.append(text_, start, at_ - start);
    while (text_[at_] != '"') {
      if (text_[at_] != '\\') wrong(found(), "an escape for this control character");
      parse_escape(out);
      const size_t run = at_;
      skip_plain();
      out.append(text_, run, at_ - run);
    }
    ++at_;
    value.part.size = static_cast<uint32_t>(out.size() - value.part.from);
  }

  void parse_escape(std::string& out) {
    ++at_;
    switch (peek()) {
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      case '/': out += '/'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': parse_unicode(out); return;
      default: wrong(found(), "an escape such as \\n or \\u00e9");
    }
    ++at_;
  }

  uint32_t four_hex() {
    const std::string_view digits = text_.substr(at_, 4);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.end())
      wrong(found(), "four hexadecimal digits");
    at_ += 4;
    return value;
  }

  void parse_unicode(std::string& out) {
    const size_t start = at_;
    ++at_;
    char32_t code = four_hex();
    if (code >= 0xD800 && code < 0xE000) {
      const bool pair = code < 0xDC00 && text_.substr(at_, 2) == "\\u";
      char32_t low = 0;
      if (pair) {
        at_ += 2;
        low = four_hex();
      }
      if (low < 0xDC00 || low >= 0xE000) {
        at_ = start;
        wrong("half of a surrogate pair", "both halves");
      }
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    utf8::append(out, code);
  }

  size_t skip_digits() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - start;
  }

  void read_number() {
    const size_t start = at_;
    if (peek() == '-') ++at_;
    const size_t first = at_;
    const size_t digits = skip_digits();
    if (digits == 0 || (digits > 1 && text_[first] == '0')) {
      at_ = start;
      wrong(found(), "a JSON value");
    }
    bool whole = true;
    if (peek() == '.') {
      whole = false;
      ++at_;
      if (skip_digits() == 0) wrong(found(), "digits after the point");
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (skip_digits() == 0) wrong(found(), "digits of the exponent");
    }
    const std::string_view token = text_.substr(start, at_ - start);
    int64_t integer = 0;
    if (whole && std::from_chars(token.begin(), token.end(), integer).ec == std::errc()) {
      add(Json::Kind::integer, start).integer = integer;
      return;
    }
    double number = 0;
    const auto result = std::from_chars(token.begin(), token.end(), number);
    if (result.ec == std::errc::result_out_of_range && !underflows(token)) {
      at_ = start;
      wrong(std::string(token.substr(0, 40)), "a number within the range of double");
    }
    add(Json::Kind::number, start).number = number;
  }

  // from_chars reports 1e-400 like 1e400; the former is simply zero. The place of the first digit
  // that counts, moved by the exponent, tells them apart.
  static bool underflows(std::string_view token) {
    const size_t e = token.find_first_of("eE");
    const std::string_view digits = token.substr(0, e);
    const size_t first = std::min(digits.find_first_of("123456789"), digits.size());
    const size_t point = std::min(digits.find('.'), digits.size());
    int64_t exponent = 0;
    if (e != std::string_view::npos) {
      const bool negative = token[e + 1] == '-';
      for (const char c : token.substr(e + 1))
        if (c >= '0' && c <= '9') exponent = std::min<int64_t>(exponent * 10 + (c - '0'), 1L << 40);
      if (negative) exponent = -exponent;
    }
    return exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first) < 0;
  }

  JsonDocument& document_;
  std::string_view text_;
  size_t at_ = 0;
};

JsonDocument::JsonDocument(std::string_view text, std::string name)
    : text_(text), name_(std::move(name)) {
  JsonReader(*this).read();
}

Json parse_json(std::string_view text, const std::string& name) {
  return JsonDocument(text, name).root().to_json();
}

}  // namespace jogak
