#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/utf8.h"
#include "text/jinja/filters.h"
#include "text/jinja/formatting.h"
#include "text/jinja/operators.h"
#include "text/jinja/print.h"
#include "text/jinja/texts.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

Value json(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ascii = bound.flag(0, false);
  style.sorted = bound.flag(3, false);
  if (bound[1] && !bound[1]->is_none()) {
    style.lines = true;
    style.between = ",";
    ensure(bound[1]->is_text() || bound[1]->is_whole(), "tojson: found an indent that is a ",
           bound[1]->type_name(), ", wanted a number or a string");
    style.indent = bound[1]->is_text()
                       ? bound[1]->text().bytes()
                       : std::string(std::clamp<int64_t>(bound[1]->whole(), 0, 100), ' ');
  }
  if (bound[2] && !bound[2]->is_none()) {
    const std::vector<Value> two = iterate(*bound[2]);
    ensure(two.size() == 2 && two[0].is_text() && two[1].is_text(),
           "tojson: separators are two strings");
    style.between = two[0].text().bytes();
    style.after_key = two[1].text().bytes();
  }
  return machine.made(json_text(value, style));
}

MarkedText soft(const Value& value) { return to_text(value); }

Value trim(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "trim", {"chars"});
  const bool given = bound[0] && !bound[0]->is_none();
  const MarkedText chars = given ? to_text(*bound[0]) : MarkedText();
  return machine.made(stripped(soft(value), Side::both, given ? &chars : nullptr), value.safe());
}

Value replace(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "replace", {"old", "new", "count"}, 2);
  int64_t count = -1;
  if (bound[2] && !bound[2]->is_none()) {
    ensure(bound[2]->is_whole(), "replace: the count is a ", bound[2]->type_name());
    count = bound[2]->whole();
  }
  return machine.made(
      replaced(to_text(value), to_text(*bound[0]).view(), to_text(*bound[1]), count));
}

Value indent(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "indent", {"width", "first", "blank"});
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_text(), "indent: found a ", value.type_name(), ", wanted a string");
  MarkedText in(std::string(4, ' '));
  if (bound[0] && bound[0]->is_text()) in = bound[0]->text();
  if (bound[0] && !bound[0]->is_text()) {
    ensure(bound[0]->is_whole() && bound[0]->whole() <= 1000, "indent: the width is too large");
    in = MarkedText(std::string(std::max<int64_t>(0, bound[0]->whole()), ' '));
  }
  const bool first = bound.flag(1, false), blank = bound.flag(2, false);
  MarkedText all = value.text();
  all.append("\n");
  MarkedText out;
  bool start = true;
  for (const MarkedText& line : split_lines(all, false)) {
    if (!start) out.append("\n");
    if (start ? first : blank || !line.empty()) out.append(in);
    out.append(line);
    start = false;
  }
  return machine.made(std::move(out), value.safe());
}

Value title(Machine& machine, const Value& value, const Args& args) {
  bind(args, "title", {});
  const MarkedText text = soft(value);
  MarkedText out;
  size_t from = 0;
  const auto word = [&](size_t to) {
    if (from == to) return;
    const size_t first = static_cast<size_t>(text::size_from_first(text.view()[from]));
    out.append(upper(text.part(from, from + first)));
    out.append(lower(text.part(from + first, to)));
    from = to;
  };
  // A word starts after one of these, which stand as words of their own.
  static constexpr std::string_view kBefore = "-({[<";
  for (size_t at = 0; at < text.size();) {
    const auto size = static_cast<size_t>(text::size_from_first(text.view()[at]));
    const bool cut = python_space(text::code_at(text.view().data() + at).value) ||
                     kBefore.find(text.view()[at]) != std::string_view::npos;
    if (cut) {
      word(at);
      word(at + size);
    }
    at += size;
  }
  word(text.size());
  return machine.made(std::move(out));
}

Value truncate(Machine& machine, const Value& value, const Args& args) {
  const Bound bound = bind(args, "truncate", {"length", "killwords", "end", "leeway"});
  ensure(value.is_text(), "truncate: found a ", value.type_name(), ", wanted a string");
  const auto whole = [&](size_t i, int64_t otherwise) {
    if (!bound[i] || bound[i]->is_none()) return otherwise;
    ensure(bound[i]->is_whole(), "truncate: found a ", bound[i]->type_name(), ", wanted a number");
    return bound[i]->whole();
  };
  const MarkedText end = bound[2] ? to_text(*bound[2]) : MarkedText("...");
  const int64_t length = whole(0, 255), leeway = whole(3, 5);
  const auto ends = static_cast<int64_t>(utf8::count(end.view()));
  ensure(length >= ends && leeway >= 0, "truncate: expected length >= ", ends);
  if (static_cast<int64_t>(utf8::count(value.view())) <= length + leeway) return value;
  const int64_t parts[3] = {0, length - ends, 1};
  const bool given[3] = {false, true, false};
  Value cut = slice_text(machine, value, parts, given);
  MarkedText out = cut.text();
  if (!bound.flag(1, false)) out = split_at_from_end(out, " ", 1)[0];
  out.append(end);
  return machine.made(std::move(out));
}

// int() and float() of Python: nothing where it is no number.
std::optional<double> read_float(std::string_view text) {
  const MarkedText trimmed = stripped(MarkedText(std::string(text)), Side::both, nullptr);
  std::string_view digits = trimmed.view();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  return whole && error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> read_whole(std::string_view text, int base) {
  const MarkedText trimmed = stripped(MarkedText(std::string(text)), Side::both, nullptr);
  std::string_view digits = trimmed.view();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  ensure(error != std::errc::result_out_of_range, "int: the number is larger than 64 bits");
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  return whole && error == std::errc() ? std::optional(value) : std::nullopt;
}

Value to_int(Machine&, const Value& value, const Args& args) {
  const Bound bound = bind(args, "int", {"default", "base"});
  const Value otherwise = bound[0] ? *bound[0] : Value(0);
  std::optional<double> number;
  if (value.is_whole()) return value.whole();
  if (value.is(Value::Kind::number)) number = value.number();
  if (value.is_undefined()) fail(value.why());
  if (value.is_text()) {
    const int base = bound[1] && bound[1]->is_whole() ? static_cast<int>(bound[1]->whole()) : 10;
    ensure(base >= 2 && base <= 36, "int: the base ", base, " is not supported");
    if (const auto whole = read_whole(value.view(), base)) return *whole;
    number = read_float(value.view());
  }
  if (!number || !std::isfinite(*number)) return otherwise;
  ensure(std::fabs(*number) < 0x1p62, "int: the number is too large");
  return static_cast<int64_t>(*number);
}

Value to_float(Machine&, const Value& value, const Args& args) {
  const Bound bound = bind(args, "float", {"default"});
  if (value.is_undefined()) fail(value.why());
  if (value.is_number()) return value.number();
  const auto number = value.is_text() ? read_float(value.view()) : std::nullopt;
  return number ? Value(*number) : bound[0] ? *bound[0] : Value(0.0);
}

Value rounded(Machine&, const Value& value, const Args& args) {
  const Bound bound = bind(args, "round", {"precision", "method"});
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_number(), "round: found a ", value.type_name(), ", wanted a number");
  const int64_t digits = bound[0] && bound[0]->is_whole() ? bound[0]->whole() : 0;
  const std::string method = bound[1] ? to_text(*bound[1]).bytes() : "common";
  ensure(digits >= 0 && digits <= 15, "round: the precision ", digits, " is not supported");
  if (method == "common") {
    if (value.is_whole()) return value.whole();
    std::array<char, 400> buffer;  // the nearest decimal, as Python rounds
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.number(),
                                   std::chars_format::fixed, static_cast<int>(digits))
                         .ptr;
    return *read_float({buffer.data(), static_cast<size_t>(end - buffer.data())});
  }
  ensure(method == "ceil" || method == "floor", "method must be common, ceil or floor");
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = value.number() * scale;
  return (method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale;
}

Value formatted(Machine& machine, const Value& value, const Args& args) {
  ensure(args.at.empty() || args.named.empty(),
         "can't handle positional and keyword arguments at the same time");
  Dict named;
  for (const auto& [name, one] : args.named) named.set(std::string_view(name), one);
  const Value values =
      args.named.empty() ? Value(args.at, Sequence::tuple) : Value(std::move(named));
  return percent_format(machine, Value(to_text(value)), values);
}

template <MarkedText (*change)(const MarkedText&)>
Value cased(Machine& machine, const Value& value, const Args& args) {
  bind(args, "filter", {});
  return machine.made(change(soft(value)), value.safe());
}

Value absolute(Machine&, const Value& value, const Args& args) {
  bind(args, "abs", {});
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_number(), "bad operand type for abs(): '", value.type_name(), "'");
  if (value.is_whole()) return value.whole() < 0 ? signed_value(value, true) : value.whole();
  return std::fabs(value.number());
}

Value word_count(Machine&, const Value& value, const Args& args) {
  bind(args, "wordcount", {});
  const MarkedText text = soft(value);
  int64_t count = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size(); at += text::size_from_first(text.view()[at])) {
    const char32_t code = text::code_at(text.view().data() + at).value;
    const bool word = code == '_' || (text::class_table()[code] & (text::kLetter | text::kNumber));
    count += word && !inside;
    inside = word;
  }
  return count;
}

Value as_string(Machine& machine, const Value& value, const Args& args) {
  bind(args, "string", {});
  return machine.made(to_text(value), value.safe());
}

Value safe(Machine& machine, const Value& value, const Args& args) {
  bind(args, "safe", {});
  return machine.made(to_text(value), true);
}

Value escape(Machine& machine, const Value& value, const Args& args) {
  bind(args, "escape", {});
  return value.safe() ? value : machine.made(escaped(to_text(value)), true);
}

}  // namespace

const FilterTable& text_filters() {
  static const FilterTable kTable = {
      {"tojson", json},
      {"trim", trim},
      {"replace", replace},
      {"indent", indent},
      {"title", title},
      {"truncate", truncate},
      {"int", to_int},
      {"float", to_float},
      {"round", rounded},
      {"format", formatted},
      {"upper", cased<upper>},
      {"lower", cased<lower>},
      {"capitalize", cased<capitalized>},
      {"abs", absolute},
      {"wordcount", word_count},
      {"string", as_string},
      {"safe", safe},
      {"escape", escape},
      {"e", escape},
  };
  return kTable;
}

}  // namespace jogak::jinja
