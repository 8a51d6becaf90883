#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "text/jinja/formatting.h"
#include "text/jinja/methods.h"
#include "text/jinja/print.h"
#include "text/jinja/texts.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

const MarkedText& wanted_text(const Value& value, std::string_view what) {
  if (value.is_undefined()) fail(value.why());
  ensure(value.is_text(), what, ": found a ", value.type_name(), ", wanted a string");
  return value.text();
}

int64_t wanted_whole(const Value* value, int64_t otherwise, std::string_view what) {
  if (!value) return otherwise;
  ensure(value->is_whole(), what, ": found a ", value->type_name(), ", wanted a whole number");
  return value->whole();
}

Value starts_or_ends(const Value& self, const std::string& name, const Args& args) {
  const Bound bound = bind(args, name, {"prefix"}, 1);
  const auto one = [&](const Value& value) {
    const std::string_view part = wanted_text(value, name).view();
    return name == "startswith" ? self.view().starts_with(part) : self.view().ends_with(part);
  };
  const Value& what = *bound[0];
  if (what.is_list() && what.sequence() == Sequence::tuple)
    return std::any_of(what.items().begin(), what.items().end(), one);
  return one(what);
}

Value split(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  const Bound bound = bind(args, name, {"sep", "maxsplit"});
  const int64_t most = wanted_whole(bound[1], -1, name);
  std::vector<MarkedText> parts;
  if (!bound[0] || bound[0]->is_none()) {
    ensure(name == "split" || most < 0, "rsplit by spaces with a limit is not supported");
    parts = split_words(self.text(), most);
  } else {
    const MarkedText& by = wanted_text(*bound[0], name);
    ensure(!by.empty(), "empty separator");
    parts = name == "split" ? split_at(self.text(), by.view(), most)
                            : split_at_from_end(self.text(), by.view(), most);
  }
  std::vector<Value> out;
  for (MarkedText& part : parts) out.emplace_back(std::move(part), self.safe());
  return machine.made(std::move(out));
}

Value partition(Machine& machine, const Value& self, bool first, const Args& args) {
  const Value& by = *bind(args, "partition", {"sep"}, 1)[0];
  const std::string_view part = wanted_text(by, "partition").view();
  ensure(!part.empty(), "empty separator");
  const size_t at = first ? self.view().find(part) : self.view().rfind(part);
  std::vector<Value> out;
  if (at == std::string_view::npos) {
    out = {self, Value(""), Value("")};
    if (!first) std::swap(out[0], out[2]);
  } else {
    out = {self.text().part(0, at), self.text().part(at, at + part.size()),
           self.text().part(at + part.size(), self.text().size())};
  }
  return machine.made(std::move(out), Sequence::tuple);
}

Value joined(Machine& machine, const Value& self, const Args& args) {
  const Value& items = *bind(args, "join", {"iterable"}, 1)[0];
  MarkedText out;
  bool first = true;
  for (const Value& item : iterate(items)) {
    if (!first) out.append(self.text());
    first = false;
    out.append(wanted_text(item, "join"));
    machine.spend(1);
  }
  return machine.made(std::move(out));
}

Value found_at(const Value& self, const std::string& name, const Args& args) {
  const std::string_view what = wanted_text(*bind(args, name, {"sub"}, 1)[0], name).view();
  const size_t at = name[0] == 'r' ? self.view().rfind(what) : self.view().find(what);
  if (at != std::string_view::npos) return utf8::count(self.view().substr(0, at));
  ensure(name.ends_with("find"), "substring not found");
  return -1;
}

Value counted(const Value& self, const Args& args) {
  const std::string_view what = wanted_text(*bind(args, "count", {"sub"}, 1)[0], "count").view();
  if (what.empty()) return utf8::count(self.view()) + 1;
  int64_t count = 0;
  for (size_t at = 0; (at = self.view().find(what, at)) != std::string_view::npos;
       at += what.size())
    ++count;
  return count;
}

Value padded(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  const Bound bound = bind(args, name, {"width", "fillchar"}, 1);
  const int64_t width = wanted_whole(bound[0], 0, name);
  const std::string fill = bound[1] ? wanted_text(*bound[1], name).bytes() : " ";
  ensure(utf8::count(fill) == 1, "The fill character must be exactly one character long");
  ensure(width <= 100'000, name, ": a width of ", width, " is too large");
  const auto count = static_cast<int64_t>(utf8::count(self.view()));
  const int64_t gap = std::max<int64_t>(0, width - count);
  const int64_t before = name == "rjust" ? gap : name == "ljust" ? 0 : gap / 2 + (gap & width & 1);
  MarkedText out;
  for (int64_t i = 0; i < before; ++i) out.append(fill);
  out.append(self.text());
  for (int64_t i = before; i < gap; ++i) out.append(fill);
  return machine.made(std::move(out), self.safe());
}

bool ascii(char c) { return (c & 0x80) == 0; }  // char has a sign on some machines, on others none

// isdigit() and the like, on ASCII; other letters are refused rather than guessed at.
Value is_kind(const Value& self, const std::string& name, const Args& args) {
  bind(args, name, {});
  if (name == "isascii") return std::all_of(self.view().begin(), self.view().end(), ascii);
  if (name == "isspace") {
    for (size_t at = 0; at < self.view().size(); at += text::size_from_first(self.view()[at]))
      if (!python_space(text::code_at(self.view().data() + at).value)) return false;
    return !self.text().empty();
  }
  bool any_upper = false, any_lower = false, letters = true, digits = true;
  for (const char c : self.view()) {
    ensure(ascii(c), name, "() of text that is not ASCII is not supported");
    const bool up = c >= 'A' && c <= 'Z', low = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    any_upper = any_upper || up;
    any_lower = any_lower || low;
    letters = letters && (up || low || (name == "isalnum" && digit));
    digits = digits && digit;
  }
  const bool some = !self.text().empty();
  if (name == "isupper") return any_upper && !any_lower;
  if (name == "islower") return any_lower && !any_upper;
  if (name == "isalpha" || name == "isalnum") return some && letters;
  if (name == "isdigit" || name == "isdecimal" || name == "isnumeric") return some && digits;
  fail("the method 'str.", name, "' is not supported");
}

Value changed_case(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  bind(args, name, {});
  const MarkedText& text = self.text();
  return machine.made(name == "upper"        ? upper(text)
                      : name == "lower"      ? lower(text)
                      : name == "capitalize" ? capitalized(text)
                                             : titled(text),
                      self.safe());
}

Value strip(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  const Bound bound = bind(args, name, {"chars"});
  const bool given = bound[0] && !bound[0]->is_none();
  const Side side = name == "strip" ? Side::both : name == "lstrip" ? Side::left : Side::right;
  return machine.made(stripped(self.text(), side, given ? &wanted_text(*bound[0], name) : nullptr),
                      self.safe());
}

Value without_end(Machine& machine, const Value& self, const std::string& name, const Args& args) {
  const std::string_view part = wanted_text(*bind(args, name, {"part"}, 1)[0], name).view();
  const size_t size = self.text().size();
  if (name == "removeprefix")
    return machine.made(self.text().part(self.view().starts_with(part) ? part.size() : 0, size),
                        self.safe());
  return machine.made(self.text().part(0, self.view().ends_with(part) ? size - part.size() : size),
                      self.safe());
}

}  // namespace

Value call_text_method(Machine& machine, const Value& self, const std::string& name,
                       const Args& args) {
  machine.spend(self.text().size() / 16 + 1);
  if (name == "startswith" || name == "endswith") return starts_or_ends(self, name, args);
  if (name == "strip" || name == "lstrip" || name == "rstrip")
    return strip(machine, self, name, args);
  if (name == "split" || name == "rsplit") return split(machine, self, name, args);
  if (name == "upper" || name == "lower" || name == "capitalize" || name == "title")
    return changed_case(machine, self, name, args);
  if (name == "replace") {
    const Bound bound = bind(args, name, {"old", "new", "count"}, 2);
    ensure(!self.safe(), "replace of a safe text is not supported");
    return machine.made(replaced(self.text(), wanted_text(*bound[0], name).view(),
                                 wanted_text(*bound[1], name), wanted_whole(bound[2], -1, name)));
  }
  if (name == "splitlines") {
    const Bound bound = bind(args, name, {"keepends"});
    std::vector<Value> out;
    for (MarkedText& line : split_lines(self.text(), bound.flag(0, false)))
      out.emplace_back(std::move(line), self.safe());
    return machine.made(std::move(out));
  }
  if (name == "join") return joined(machine, self, args);
  if (name == "format") return brace_format(machine, self, args);
  if (name == "find" || name == "rfind" || name == "index" || name == "rindex")
    return found_at(self, name, args);
  if (name == "count") return counted(self, args);
  if (name == "partition" || name == "rpartition")
    return partition(machine, self, name == "partition", args);
  if (name == "removeprefix" || name == "removesuffix")
    return without_end(machine, self, name, args);
  if (name == "ljust" || name == "rjust" || name == "center")
    return padded(machine, self, name, args);
  if (name.starts_with("is")) return is_kind(self, name, args);
  fail("the method 'str.", name, "' is not supported");
}

}  // namespace jogak::jinja
