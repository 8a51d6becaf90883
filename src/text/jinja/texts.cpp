#include "text/jinja/texts.h"

#include <algorithm>
#include <iterator>
#include <locale>
#include <sstream>
#include <utility>

#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

// Where each character starts, and the end.
std::vector<size_t> starts(std::string_view text) {
  std::vector<size_t> out;
  for (size_t at = 0; at < text.size(); at += text::size_from_first(text[at])) out.push_back(at);
  out.push_back(text.size());
  return out;
}

// Code at `at`, or before it.
char32_t code_before(std::string_view text, size_t at, size_t& from) {
  from = at - 1;
  while (from > 0 && text::continues(text[from])) --from;
  return text::code_at(text.data() + from).value;
}

bool has_character(std::string_view chars, char32_t code) {
  for (size_t at = 0; at < chars.size(); at += text::size_from_first(chars[at]))
    if (text::code_at(chars.data() + at).value == code) return true;
  return false;
}

bool line_end(char32_t code) {
  return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

}  // namespace

std::vector<int64_t> slice_places(int64_t count, const int64_t (&parts)[3],
                                  const bool (&given)[3]) {
  const int64_t step = given[2] ? parts[2] : 1;
  const bool forward = step > 0;
  const auto place = [&](int i, int64_t otherwise) {
    if (!given[i]) return otherwise;
    int64_t at = parts[i];
    if (at < 0) at = at < -count ? -1 : at + count;
    const int64_t low = forward ? 0 : -1, high = forward ? count : count - 1;
    return parts[i] < 0 && at < 0 ? low : std::clamp(at, low, high);
  };
  const int64_t from = place(0, forward ? 0 : count - 1), to = place(1, forward ? count : -1);
  std::vector<int64_t> out;
  const int64_t stride = std::clamp<int64_t>(step, -count - 1, count + 1);
  for (int64_t at = from; forward ? at < to : at > to; at += stride) out.push_back(at);
  return out;
}

Value slice_text(Machine& machine, const Value& of, const int64_t (&parts)[3],
                 const bool (&given)[3]) {
  machine.spend(of.text().size() / 16);
  const std::vector<size_t> at = starts(of.view());
  const auto places = slice_places(static_cast<int64_t>(at.size()) - 1, parts, given);
  MarkedText out;
  if (!places.empty() && (!given[2] || parts[2] == 1)) {
    out.append(of.text(), at[static_cast<size_t>(places.front())],
               at[static_cast<size_t>(places.back()) + 1]);
  } else {
    for (const int64_t place : places)
      out.append(of.text(), at[static_cast<size_t>(place)], at[static_cast<size_t>(place) + 1]);
  }
  return machine.made(std::move(out), of.safe());
}

Value character(Machine& machine, const Value& of, int64_t at) {
  const std::string_view text = of.view();
  machine.spend(text.size() / 16);
  const auto count = static_cast<int64_t>(utf8::count(text));
  if (at < 0) at += count;
  if (at < 0 || at >= count) return Value::undefined("the string has no such character");
  size_t from = 0;
  for (int64_t i = 0; i < at; ++i) from += text::size_from_first(text[from]);
  return Value(of.text().part(from, from + text::size_from_first(text[from])), of.safe());
}

std::vector<std::string_view> split_plain(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool python_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

MarkedText stripped(const MarkedText& text, Side side, const MarkedText* chars) {
  const std::string_view all = text.view();
  const auto goes = [&](char32_t code) {
    return chars ? has_character(chars->view(), code) : python_space(code);
  };
  size_t from = 0, to = all.size();
  while (side != Side::right && from < to && goes(text::code_at(all.data() + from).value))
    from += text::size_from_first(all[from]);
  for (size_t before; side != Side::left && from < to && goes(code_before(all, to, before));)
    to = before;
  return text.part(from, to);
}

MarkedText replaced(const MarkedText& text, std::string_view old, const MarkedText& by,
                    int64_t count) {
  const std::string_view all = text.view();
  MarkedText out;
  size_t done = 0;
  if (old.empty()) {  // Python puts it before every character and at the end
    for (const size_t at : starts(all)) {
      out.append(text, done, at);
      done = at;
      if (count-- == 0) break;
      out.append(by);
    }
    out.append(text, done);
    return out;
  }
  while (count-- != 0) {
    const size_t at = all.find(old, done);
    if (at == std::string_view::npos) break;
    out.append(text, done, at);
    out.append(by);
    done = at + old.size();
  }
  out.append(text, done);
  return out;
}

std::vector<MarkedText> split_at(const MarkedText& text, std::string_view by, int64_t most) {
  std::vector<MarkedText> out;
  size_t done = 0;
  while (most-- != 0) {
    const size_t at = text.view().find(by, done);
    if (at == std::string_view::npos) break;
    out.push_back(text.part(done, at));
    done = at + by.size();
  }
  out.push_back(text.part(done, text.size()));
  return out;
}

std::vector<MarkedText> split_at_from_end(const MarkedText& text, std::string_view by,
                                          int64_t most) {
  std::vector<MarkedText> out;
  size_t end = text.size();
  while (most-- != 0) {
    const size_t at = text.view().substr(0, end).rfind(by);
    if (at == std::string_view::npos) break;
    out.push_back(text.part(at + by.size(), end));
    end = at;
  }
  out.push_back(text.part(0, end));
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<MarkedText> split_words(const MarkedText& text, int64_t most) {
  const std::string_view all = text.view();
  std::vector<MarkedText> out;
  size_t at = 0;
  const auto space = [&](size_t i) { return python_space(text::code_at(all.data() + i).value); };
  while (true) {
    while (at < all.size() && space(at)) at += text::size_from_first(all[at]);
    if (at == all.size()) return out;
    if (most-- == 0) {
      out.push_back(text.part(at, all.size()));
      return out;
    }
    const size_t from = at;
    while (at < all.size() && !space(at)) at += text::size_from_first(all[at]);
    out.push_back(text.part(from, at));
  }
}

std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends) {
  const std::string_view all = text.view();
  std::vector<MarkedText> out;
  size_t from = 0;
  for (size_t at = 0; at < all.size();) {
    const text::Code code = text::code_at(all.data() + at);
    size_t next = at + static_cast<size_t>(code.size);
    if (line_end(code.value)) {
      if (code.value == '\r' && next < all.size() && all[next] == '\n') ++next;
      out.push_back(text.part(from, keep_ends ? next : at));
      from = next;
    }
    at = next;
  }
  if (from < all.size()) out.push_back(text.part(from, all.size()));
  return out;
}

MarkedText escaped(const MarkedText& text) {
  MarkedText out;
  size_t done = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text.view()[at];
    const char* instead = c == '&'    ? "&amp;"
                          : c == '<'  ? "&lt;"
                          : c == '>'  ? "&gt;"
                          : c == '"'  ? "&#34;"
                          : c == '\'' ? "&#39;"
                                      : nullptr;
    if (!instead) continue;
    out.append(text, done, at);
    out.append(instead, text.is_user(at));
    done = at + 1;
  }
  out.append(text, done);
  return out;
}

MarkedText date_text(const Value& format, const std::tm& now) {
  ensure(format.is_text(), "strftime_now: found a ", format.type_name(), ", wanted a string");
  const std::string& pattern = format.text().bytes();
  if (pattern.empty()) return {};
  ensure(pattern.size() <= 200, "strftime_now: the format is longer than 200 bytes");
  static constexpr std::string_view kKnown = "aAbBcdDeFGgHIjklmMnprRsStTuUVwWxXyYzZ%";
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%' || at + 1 == pattern.size()) {
      out += pattern[at];
      continue;
    }
    const bool bare = pattern[++at] == '-' && at + 1 < pattern.size();  // no zeros before it
    at += bare;
    ensure(kKnown.find(pattern[at]) != std::string_view::npos, "strftime_now: '%", pattern[at],
           "' is not supported");
    std::ostringstream one;
    one.imbue(std::locale::classic());
    std::use_facet<std::time_put<char>>(std::locale::classic())
        .put(std::ostreambuf_iterator<char>(one), one, ' ', &now, pattern[at]);
    std::string text = one.str();
    while (bare && text.size() > 1 && (text[0] == '0' || text[0] == ' ')) text.erase(0, 1);
    out += text;
  }
  return MarkedText(out, format.text().has_user(0, pattern.size()));
}

}  // namespace jogak::jinja
