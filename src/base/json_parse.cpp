#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/json.h"
#include "base/utf8.h"

namespace jogak {

// Recursive descent over bytes; recursion is bounded by kMaxDepth.
class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Json document() {
    const size_t bad = utf8::first_invalid(text_);
    if (bad != std::string_view::npos) {
      at_ = bad;
      wrong("a byte that is not UTF-8", "UTF-8 text");
    }
    Json value = parse_value(0);
    skip_space();
    if (at_ < text_.size()) wrong(found(), "the end of the document");
    return value;
  }

 private:
  static constexpr int kMaxDepth = 64;

  [[noreturn]] void wrong(const std::string& found, std::string_view wanted) const {
    fail<FormatError>(name_, ": byte ", at_, ": found ", found, ", wanted ", wanted);
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

  Json parse_value(int depth) {
    skip_space();
    const size_t start = at_;
    if (depth == kMaxDepth && (peek() == '{' || peek() == '['))
      wrong("nesting deeper than 64", "at most 64 levels");
    Json value;
    switch (peek()) {
      case '{': value = parse_object(depth); break;
      case '[': value = parse_array(depth); break;
      case '"': value = Json(parse_string()); break;
      case 't': value = word("true", Json(true)); break;
      case 'f': value = word("false", Json(false)); break;
      case 'n': value = word("null", Json()); break;
      default: value = parse_number();
    }
    value.offset_ = start;
    return value;
  }

  Json word(std::string_view expected, Json value) {
    if (text_.substr(at_, expected.size()) != expected) wrong(found(), "a JSON value");
    at_ += expected.size();
    return value;
  }

  Json parse_array(int depth) {
    ++at_;
    std::vector<Json> items;
    skip_space();
    if (peek() == ']') {
      ++at_;
      return Json::array();
    }
    while (true) {
      items.push_back(parse_value(depth + 1));
      skip_space();
      if (peek() == ']') break;
      if (peek() != ',') wrong(found(), "',' or ']'");
      ++at_;
    }
    ++at_;
    return Json::array(std::move(items));
  }

  Json parse_object(int depth) {
    ++at_;
    std::vector<Json::Member> members;
    skip_space();
    if (peek() == '}') {
      ++at_;
      return Json::object();
    }
    while (true) {
      skip_space();
      if (peek() != '"') wrong(found(), "a key in quotes");
      const size_t key_at = at_;
      std::string key = parse_string();
      skip_space();
      if (peek() != ':') wrong(found(), "':'");
      ++at_;
      members.emplace_back(std::move(key), parse_value(depth + 1));
      key_offsets_.push_back(key_at);
      skip_space();
      if (peek() == '}') break;
      if (peek() != ',') wrong(found(), "',' or '}'");
      ++at_;
    }
    ++at_;
    refuse_duplicates(members);
    key_offsets_.resize(key_offsets_.size() - members.size());
    return Json::object(std::move(members));
  }

  // The offsets of this object's keys are the last entries of key_offsets_: inner objects have
  // taken theirs off already.
  void refuse_duplicates(const std::vector<Json::Member>& members) {
    std::unordered_set<std::string_view> seen;
    seen.reserve(members.size());
    const size_t base = key_offsets_.size() - members.size();
    for (size_t i = 0; i < members.size(); ++i) {
      if (seen.insert(members[i].first).second) continue;
      at_ = key_offsets_[base + i];
      wrong("key " + json_quote(members[i].first) + " a second time", "each key once");
    }
  }

  std::string parse_string() {
    std::string out;
    ++at_;
    while (true) {
      const size_t run = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      out.append(text_.substr(run, at_ - run));
      if (at_ >= text_.size()) wrong("the end of the text", "a closing quote");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') wrong(found(), "an escape for this control character");
      parse_escape(out);
    }
    ++at_;
    return out;
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

  Json parse_number() {
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
    if (whole && std::from_chars(token.begin(), token.end(), integer).ec == std::errc())
      return Json(integer);
    double number = 0;
    const auto result = std::from_chars(token.begin(), token.end(), number);
    if (result.ec == std::errc::result_out_of_range && !underflows(token)) {
      at_ = start;
      wrong(std::string(token.substr(0, 40)), "a number within the range of double");
    }
    return Json(number);
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

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
  std::vector<size_t> key_offsets_;
};

Json parse_json(std::string_view text, const std::string& name) {
  return JsonParser(text, name).document();
}

}  // namespace jogak
