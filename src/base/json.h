// JSON in and out. Values remember the byte they came from, so that a wrong value in a file
// is reported by place. Reading is strict: UTF-8, no duplicate keys, depth at most 64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace jogak {

class Json {
 public:
  enum class Kind : uint8_t { null, boolean, integer, number, string, array, object };
  using Member = std::pair<std::string, Json>;

  Json() = default;
  Json(bool value) : value_(value) {}
  Json(int value) : value_(int64_t{value}) {}
  Json(int64_t value) : value_(value) {}
  Json(size_t value) : value_(static_cast<int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  static Json array(std::vector<Json> items = {});
  static Json object(std::vector<Member> members = {});
  template <class Range>
  static Json list(const Range& range) {
    Json out = array();
    for (const auto& item : range) out.push(Json(item));
    return out;
  }

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::null; }
  bool is_bool() const { return kind() == Kind::boolean; }
  bool is_integer() const { return kind() == Kind::integer; }
  bool is_number() const { return kind() == Kind::number || kind() == Kind::integer; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_array() const { return kind() == Kind::array; }
  bool is_object() const { return kind() == Kind::object; }

  // Ask the kind first, or use Fields below: a wrong kind is a bug and throws bad_variant_access.
  bool boolean() const { return std::get<bool>(value_); }
  int64_t integer() const { return std::get<int64_t>(value_); }
  double number() const {
    return is_integer() ? static_cast<double>(integer()) : std::get<double>(value_);
  }
  const std::string& text() const { return std::get<std::string>(value_); }
  const std::vector<Json>& items() const { return std::get<std::vector<Json>>(value_); }
  const std::vector<Member>& members() const { return std::get<std::vector<Member>>(value_); }

  const Json* find(std::string_view key) const;  // null when absent or not an object
  Json& set(std::string key, Json value);        // adds or replaces; returns *this
  Json& push(Json value);

  size_t offset() const { return offset_; }  // byte in the text it was read from
  const char* kind_name() const { return kind_name(kind()); }
  static const char* kind_name(Kind kind);
  std::string dump(int indent = -1) const;  // -1: one line
  bool operator==(const Json& other) const;

 private:
  friend class JsonView;
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;  // in the order of Kind
  size_t offset_ = 0;
};

// `name` is what errors call the text: usually the file. Throws FormatError.
Json parse_json(std::string_view text, const std::string& name);
Json read_json_file(const std::string& path);

std::string json_quote(std::string_view text);  // with the quotes
std::string json_quote_start(std::string_view text,
                             size_t bytes);  // cut there, with "...", when longer

// Checked reading of one object's members: each getter throws FormatError naming file, byte,
// key, what was found and what was wanted.
class Fields {
 public:
  Fields(const Json& object, std::string file);

  bool has(std::string_view key) const;  // present and not null
  const Json& at(std::string_view key) const;

  struct Range {
    int64_t low = INT64_MIN, high = INT64_MAX;
  };
  int64_t integer(std::string_view key, Range range) const;
  int64_t integer_or(std::string_view key, int64_t otherwise, Range range) const;
  double number(std::string_view key) const;  // always finite
  double number_or(std::string_view key, double otherwise) const;
  bool flag_or(std::string_view key, bool otherwise) const;
  const std::string& text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string otherwise) const;
  const std::vector<Json>& list(std::string_view key) const;
  Fields object(std::string_view key) const;

  [[noreturn]] void wrong(const Json& value, std::string_view key, std::string_view wanted) const;
  const std::string& file() const { return file_; }
  const Json& json() const { return *object_; }

 private:
  const Json* object_;
  std::string file_;
};

}  // namespace jogak
