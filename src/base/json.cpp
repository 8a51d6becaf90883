#include "base/json.h"

#include <charconv>
#include <cmath>

#include "base/file.h"
#include "base/utf8.h"

namespace jogak {

Json Json::array(std::vector<Json> items) {
  Json out;
  out.value_ = std::move(items);
  return out;
}

Json Json::object(std::vector<Member> members) {
  Json out;
  out.value_ = std::move(members);
  return out;
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members())
    if (member.first == key) return &member.second;
  return nullptr;
}

Json& Json::set(std::string key, Json value) {
  if (is_null()) value_ = std::vector<Member>{};
  auto& members = std::get<std::vector<Member>>(value_);
  for (Member& member : members) {
    if (member.first != key) continue;
    member.second = std::move(value);
    return *this;
  }
  members.emplace_back(std::move(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = std::vector<Json>{};
  std::get<std::vector<Json>>(value_).push_back(std::move(value));
  return *this;
}

const char* Json::kind_name(Kind kind) {
  constexpr const char* kNames[] = {"null",     "true or false", "an integer", "a number",
                                    "a string", "an array",      "an object"};
  return kNames[static_cast<size_t>(kind)];
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

std::string json_quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string repaired;  // what we write is JSON whatever we were given
  if (utf8::first_invalid(text) != std::string_view::npos) text = repaired = utf8::lossy(text);
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[(c >> 4) & 15];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string json_quote_start(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return json_quote(text);
  return json_quote(text.substr(0, utf8::whole_prefix(text.substr(0, bytes)))) + "...";
}

namespace {

void dump_number(double value, std::string& out) {
  if (!std::isfinite(value)) {  // JSON has no word for these
    out += "null";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
  if (std::string_view(buffer, end - buffer).find_first_of(".e") == std::string_view::npos)
    out += ".0";
}

void new_line(int indent, int depth, std::string& out) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<size_t>(indent) * depth, ' ');
}

// Depth is bounded: what we parse is at most 64 deep and what we build is a few levels.
void dump_value(const Json& value, int indent, int depth, std::string& out) {
  const char* separator = ",";
  switch (value.kind()) {
    case Json::Kind::null: out += "null"; return;
    case Json::Kind::boolean: out += value.boolean() ? "true" : "false"; return;
    case Json::Kind::integer: out += std::to_string(value.integer()); return;
    case Json::Kind::number: dump_number(value.number(), out); return;
    case Json::Kind::string: out += json_quote(value.text()); return;
    case Json::Kind::array: {
      out += '[';
      bool first = true;
      for (const Json& item : value.items()) {
        if (!first) out += separator;
        first = false;
        new_line(indent, depth + 1, out);
        dump_value(item, indent, depth + 1, out);
      }
      if (!first) new_line(indent, depth, out);
      out += ']';
      return;
    }
    case Json::Kind::object: {
      out += '{';
      bool first = true;
      for (const auto& [key, item] : value.members()) {
        if (!first) out += separator;
        first = false;
        new_line(indent, depth + 1, out);
        out += json_quote(key);
        out += indent < 0 ? ":" : ": ";
        dump_value(item, indent, depth + 1, out);
      }
      if (!first) new_line(indent, depth, out);
      out += '}';
      return;
    }
  }
}

}  // namespace

std::string Json::dump(int indent) const {
  std::string out;
  dump_value(*this, indent, 0, out);
  return out;
}

Json read_json_file(const std::string& path) { return parse_json(read_file(path), path); }

Fields::Fields(const Json& object, std::string file) : object_(&object), file_(std::move(file)) {
  ensure<FormatError>(object.is_object(), file_, ": byte ", object.offset(), ": found ",
                      object.kind_name(), ", wanted an object");
}

bool Fields::has(std::string_view key) const {
  const Json* value = object_->find(key);
  return value && !value->is_null();
}

const Json& Fields::at(std::string_view key) const {
  const Json* value = object_->find(key);
  ensure<FormatError>(value != nullptr, file_, ": byte ", object_->offset(), ": key \"", key,
                      "\" is missing");
  return *value;
}

void Fields::wrong(const Json& value, std::string_view key, std::string_view wanted) const {
  std::string shown = value.is_array() || value.is_object() ? value.kind_name() : value.dump();
  if (shown.size() > 60) shown = shown.substr(0, utf8::whole_prefix(shown.substr(0, 57))) + "...";
  // A key may come from the file, with whatever is in it.
  fail<FormatError>(file_, ": byte ", value.offset(), ": ", json_quote_start(key, 60), ": found ",
                    shown, ", wanted ", wanted);
}

int64_t Fields::integer(std::string_view key, Range range) const {
  const Json& value = at(key);
  const bool good =
      value.is_integer() && value.integer() >= range.low && value.integer() <= range.high;
  if (!good) {
    if (range.low == INT64_MIN && range.high == INT64_MAX) wrong(value, key, "an integer");
    wrong(value, key, text_of("an integer from ", range.low, " to ", range.high));
  }
  return value.integer();
}

int64_t Fields::integer_or(std::string_view key, int64_t otherwise, Range range) const {
  return has(key) ? integer(key, range) : otherwise;
}

double Fields::number(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_number()) wrong(value, key, "a number");
  return value.number();
}

double Fields::number_or(std::string_view key, double otherwise) const {
  return has(key) ? number(key) : otherwise;
}

bool Fields::flag_or(std::string_view key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const Json& value = at(key);
  if (!value.is_bool()) wrong(value, key, "true or false");
  return value.boolean();
}

const std::string& Fields::text(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_string()) wrong(value, key, "a string");
  return value.text();
}

std::string Fields::text_or(std::string_view key, std::string otherwise) const {
  return has(key) ? text(key) : otherwise;
}

const std::vector<Json>& Fields::list(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_array()) wrong(value, key, "an array");
  return value.items();
}

Fields Fields::object(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_object()) wrong(value, key, "an object");
  return Fields(value, file_);
}

}  // namespace jogak
