#include "text/jinja/formatting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "text/jinja/print.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

struct Directive {
  bool left = false, zeros = false, sign = false, space = false;
  int width = 0, digits = -1;
  char kind = 's';
};

constexpr int kMaxWidth = 1000;

void pad(MarkedText& out, const MarkedText& text, const Directive& how, bool number) {
  const auto count = static_cast<int>(utf8::count(text.view()));
  const auto gap = static_cast<size_t>(how.width > count ? how.width - count : 0);
  if (how.left) {
    out.append(text);
    return out.append(std::string(gap, ' '));
  }
  if (number && how.zeros) {
    const size_t sign = !text.empty() && (text.view()[0] == '-' || text.view()[0] == '+') ? 1 : 0;
    out.append(text, 0, sign);
    out.append(std::string(gap, '0'));
    return out.append(text, sign);
  }
  out.append(std::string(gap, ' '));
  out.append(text);
}

std::string number_text(const Value& value, const Directive& how) {
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_number(), "%", how.kind, " format: a real number is required, not ",
         value.type_name());
  std::string out;
  if (how.kind == 'd' || how.kind == 'i') {
    ensure(how.digits < 0, "a precision of %d is not supported");
    const double size = value.number();
    ensure(std::isfinite(size) && std::fabs(size) < 0x1p62, "%d format: the number is too large");
    out = std::to_string(value.is_whole() ? value.whole() : static_cast<int64_t>(size));
  } else {
    ensure(std::isfinite(value.number()), "%f format of inf or nan is not supported");
    std::array<char, 500> buffer;
    const int digits = how.digits < 0 ? 6 : how.digits;
    const auto form = how.kind == 'f' ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.number(), form, digits)
            .ptr;
    out.assign(buffer.data(), end);
  }
  if (out[0] != '-' && (how.sign || how.space)) out.insert(0, 1, how.sign ? '+' : ' ');
  return out;
}

class Percent {
 public:
  Percent(const MarkedText& format, const Value& values) : format_(format), values_(values) {}

  MarkedText run() {
    const std::string_view all = format_.view();
    size_t done = 0;
    while ((at_ = all.find('%', done)) != std::string_view::npos) {
      out_.append(format_, done, at_++);
      directive();
      done = at_;
    }
    out_.append(format_, done);
    const bool all_used = values_.is_dict() || used_ == count();
    ensure(all_used, "not all arguments converted during string formatting");
    return std::move(out_);
  }

 private:
  bool is_tuple() const { return values_.is_list() && values_.sequence() == Sequence::tuple; }
  size_t count() const { return is_tuple() ? values_.items().size() : 1; }
  char now() const {
    ensure(at_ < format_.size(), "incomplete format");
    return format_.view()[at_];
  }

  Value next(bool named, const std::string& key) {
    if (named) {
      ensure(values_.is_dict(), "format requires a mapping");
      const Value* value = values_.dict().find(key);
      ensure(value, "the format names '", key, "', which is not given");
      return *value;
    }
    ensure(used_ < count(), "not enough arguments for format string");
    ++used_;
    return is_tuple() ? values_.items()[used_ - 1] : values_;
  }

  int digits() {
    int value = 0;
    for (; at_ < format_.size() && now() >= '0' && now() <= '9'; ++at_)
      ensure((value = value * 10 + (now() - '0')) <= kMaxWidth, "the format is wider than ",
             kMaxWidth);
    return value;
  }

  void directive() {
    Directive how;
    std::string key;
    const bool named = now() == '(';
    if (named) {
      const size_t end = format_.view().find(')', at_);
      ensure(end != std::string_view::npos, "incomplete format key");
      key = format_.view().substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    }
    for (;; ++at_) {
      const char c = now();
      if (c == '-')
        how.left = true;
      else if (c == '0')
        how.zeros = true;
      else if (c == '+')
        how.sign = true;
      else if (c == ' ')
        how.space = true;
      else
        break;
    }
    how.width = digits();
    if (now() == '.') {
      ++at_;
      how.digits = digits();
    }
    how.kind = now();
    ++at_;
    if (how.kind == '%') return out_.append("%");
    const Value value = next(named, key);
    if (how.kind == 's' || how.kind == 'r') {
      ensure(how.digits < 0, "a precision of %s is not supported");
      return pad(out_, how.kind == 's' ? to_text(value) : representation(value), how, false);
    }
    ensure(how.kind == 'd' || how.kind == 'i' || how.kind == 'f' || how.kind == 'e',
           "the format '%", how.kind, "' is not supported");
    pad(out_, MarkedText(number_text(value, how)), how, true);
  }

  const MarkedText& format_;
  const Value& values_;
  MarkedText out_;
  size_t at_ = 0, used_ = 0;
};

}  // namespace

Value percent_format(Machine& machine, const Value& format, const Value& values) {
  ensure(!format.safe(), "% of a safe text is not supported");
  return machine.made(Percent(format.text(), values).run());
}

Value brace_format(Machine& machine, const Value& format, const Args& args) {
  ensure(!format.safe(), "format of a safe text is not supported");
  const MarkedText& text = format.text();
  const std::string_view all = text.view();
  MarkedText out;
  size_t next = 0;
  for (size_t at = 0; at < all.size();) {
    const char c = all[at];
    if (c != '{' && c != '}') {
      const size_t end = std::min(all.find_first_of("{}", at), all.size());
      out.append(text, at, end);
      at = end;
      continue;
    }
    if (at + 1 < all.size() && all[at + 1] == c) {
      out.append(text, at, at + 1);
      at += 2;
      continue;
    }
    const size_t end = all.find('}', at);
    ensure(c == '{' && end != std::string_view::npos, "Single '", c,
           "' encountered in format string");
    const std::string_view field = all.substr(at + 1, end - at - 1);
    ensure(field.find_first_of("!:.[{") == std::string_view::npos, "the format field '", field,
           "' is not supported");
    const Value* value = nullptr;
    size_t number = next;
    const bool counted = std::from_chars(field.data(), field.data() + field.size(), number).ptr ==
                         field.data() + field.size();
    if (counted) {
      if (field.empty()) ++next;
      ensure(number < args.at.size(), "the format wants more than ", args.at.size(), " arguments");
      value = &args.at[number];
    }
    for (const auto& [name, named] : args.named)
      if (!counted && name == field) value = &named;
    ensure(value, "the format names '", field, "', which is not given");
    out.append(to_text(*value));
    at = end + 1;
  }
  return machine.made(std::move(out));
}

}  // namespace jogak::jinja
