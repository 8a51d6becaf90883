#include "text/jinja/print.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "text/jinja/machine.h"
#include "text/unicode/tables.h"
#include "text/unicode/unicode.h"

namespace jogak::jinja {
namespace {

// "\u00e9": a letter that says how many digits follow.
std::string hex(char letter, int digits, uint32_t code) {
  std::string out = {'\\', letter};
  for (int i = digits - 1; i >= 0; --i) out += "0123456789abcdef"[(code >> (4 * i)) & 15];
  return out;
}

// What stands for a letter between quotes; empty: itself.
std::string escaped(uint32_t code, char quote) {
  if (code == '\\' || code == static_cast<uint32_t>(quote)) return {'\\', static_cast<char>(code)};
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x20 || code == 0x7F) return hex('x', 2, code);
  if (code <= 0x7F || is_printable(code)) return {};
  return code < 0x100 ? hex('x', 2, code) : code < 0x10000 ? hex('u', 4, code) : hex('U', 8, code);
}

MarkedText quoted(const MarkedText& text) {
  const std::string_view all = text.view();
  const bool twice =
      all.find('\'') != std::string_view::npos && all.find('"') == std::string_view::npos;
  const char quote = twice ? '"' : '\'';
  const std::string_view around(&quote, 1);
  MarkedText out;
  out.append(around);
  for (size_t at = 0; at < all.size();) {
    const text::Code code = text::code_at(all.data() + at);
    const auto size = static_cast<size_t>(code.size);
    const std::string instead = escaped(code.value, quote);
    if (instead.empty())
      out.append(text, at, at + size);
    else
      out.append(instead, text.is_user(at));
    at += size;
  }
  out.append(around);
  return out;
}

class Printer {
 public:
  void show(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::undefined: return out.append("Undefined");
      case Value::Kind::none: return out.append("None");
      case Value::Kind::boolean: return out.append(value.boolean() ? "True" : "False");
      case Value::Kind::integer: return out.append(std::to_string(value.whole()));
      case Value::Kind::number: return out.append(python_number(value.number()));
      case Value::Kind::text:
        if (!value.safe()) return out.append(quoted(value.text()));
        out.append("Markup(");
        out.append(quoted(value.text()));
        return out.append(")");
      case Value::Kind::list: return list(value);
      case Value::Kind::dict: return dict(value.dict());
      case Value::Kind::space:
        ensure(++spaces_ < 20, "a namespace stands within itself");
        out.append("<Namespace ");
        dict(value.space().attributes);
        --spaces_;
        return out.append(">");
      case Value::Kind::macro: return out.append("<Macro '" + value.macro().node->text + "'>");
      default: fail("a ", value.type_name(), " cannot be written");
    }
  }

  MarkedText out;

 private:
  void list(const Value& value) {
    const Sequence type = value.sequence();
    ensure(type != Sequence::generator && type != Sequence::range, "a ", value.type_name(),
           " cannot be written");
    const bool tuple = type == Sequence::tuple, view = type > Sequence::range;
    if (view) out.append(std::string(value.type_name()) + "(");
    out.append(tuple ? "(" : "[");
    bool first = true;
    for (const Value& item : value.items()) {
      if (!first) out.append(", ");
      first = false;
      show(item);
    }
    out.append(tuple ? value.items().size() == 1 ? ",)" : ")" : "]");
    if (view) out.append(")");
  }

  void dict(const Dict& dict) {
    out.append("{");
    bool first = true;
    for (const auto& [key, item] : dict.items) {
      if (!first) out.append(", ");
      first = false;
      show(key);
      out.append(": ");
      show(item);
    }
    out.append("}");
  }

  int spaces_ = 0;
};

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::none: return out.append("null");
      case Value::Kind::boolean: return out.append(value.boolean() ? "true" : "false");
      case Value::Kind::integer: return out.append(std::to_string(value.whole()));
      case Value::Kind::number: return out.append(number(value.number()));
      case Value::Kind::text: return text(value.text());
      case Value::Kind::dict: return dict(value.dict());
      case Value::Kind::list:
        if (value.sequence() <= Sequence::tuple) return list(value.items());
        [[fallthrough]];
      default: fail("Object of type ", value.type_name(), " is not JSON serializable");
    }
  }

  MarkedText out;

 private:
  static std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return python_number(value);
  }

  void line(int level) {
    if (!style_.lines) return;
    out.append("\n");
    for (int i = 0; i < level; ++i) out.append(style_.indent);
  }

  void list(const std::vector<Value>& items) {
    if (items.empty()) return out.append("[]");
    out.append("[");
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out.append(style_.between);
      line(level_);
      write(items[i]);
    }
    line(--level_);
    out.append("]");
  }

  void dict(const Dict& dict) {
    if (dict.items.empty()) return out.append("{}");
    std::vector<const Dict::Item*> items;
    for (const Dict::Item& item : dict.items) items.push_back(&item);
    if (style_.sorted)
      std::stable_sort(items.begin(), items.end(), [](const Dict::Item* a, const Dict::Item* b) {
        return less(a->first, b->first);
      });
    out.append("{");
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out.append(style_.between);
      line(level_);
      key(items[i]->first);
      out.append(style_.after_key);
      write(items[i]->second);
    }
    line(--level_);
    out.append("}");
  }

  void key(const Value& value) {
    if (value.is_text()) return text(value.text());
    ensure(value.is_number() || value.is_none(), "keys must be str, int, float, bool or None, not ",
           value.type_name());
    out.append("\"");
    write(value);
    out.append("\"");
  }

  void text(const MarkedText& text) {
    const std::string_view all = text.view();
    out.append("\"");
    for (size_t at = 0; at < all.size();) {
      const text::Code code = text::code_at(all.data() + at);
      const auto size = static_cast<size_t>(code.size);
      const std::string instead = escape(code.value);
      if (instead.empty())
        out.append(text, at, at + size);
      else
        out.append(instead, text.is_user(at));
      at += size;
    }
    out.append("\"");
  }

  std::string escape(char32_t code) const {
    static constexpr std::string_view kFrom = "\"\\\n\r\t\f\b", kTo = "\"\\nrtfb";
    if (code < 0x80)
      if (const size_t at = kFrom.find(static_cast<char>(code)); at != std::string_view::npos)
        return {'\\', kTo[at]};
    if (code < 0x20) return hex('u', 4, code);
    if (!style_.ascii || code < 0x7F + 1) return {};
    if (code < 0x10000) return hex('u', 4, code);
    const uint32_t pair = code - 0x10000;
    return hex('u', 4, 0xD800 + (pair >> 10)) + hex('u', 4, 0xDC00 + (pair & 0x3FF));
  }

  const JsonStyle& style_;
  int level_ = 0;
};

}  // namespace

bool is_printable(char32_t code) {
  static const std::vector<bool> kTable = [] {
    std::vector<bool> table(0x110000, true);
    text::tables::each_run(text::tables::kCategories, [&](char32_t from, char32_t to, uint32_t i) {
      const std::string_view name = text::tables::kCategoryNames[i];
      if (name[0] == 'C' || name[0] == 'Z')
        std::fill(table.begin() + from, table.begin() + to, false);
    });
    table[' '] = true;
    return table;
  }();
  return code < 0x110000 && kTable[code];
}

MarkedText to_text(const Value& value) {
  if (value.is_text()) return value.text();
  if (value.is_undefined()) return {};
  return representation(value);
}

MarkedText representation(const Value& value) {
  Printer printer;
  printer.show(value);
  return std::move(printer.out);
}

MarkedText json_text(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value);
  return std::move(writer.out);
}

}  // namespace jogak::jinja
