// A JSON text read once into a flat list of values that point into it: for large files, where
// making an object of every value would take longer than everything else.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace jogak {

class JsonDocument;

// A value of a document. Lives as long as the document and its text.
class JsonView {
 public:
  Json::Kind kind() const;
  bool is(Json::Kind wanted) const { return kind() == wanted; }
  const char* kind_name() const { return Json::kind_name(kind()); }
  size_t offset() const;

  // Ask the kind first.
  std::string_view text() const;
  int64_t integer() const;
  double number() const;
  std::string_view written() const;  // a number as it stands in the text
  size_t size() const;               // items of an array, members of an object

  // Items of an array, or the keys and values of an object in turn.
  class Iterator {
   public:
    JsonView operator*() const { return {*of_, at_}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class JsonView;
    Iterator(const JsonDocument& of, size_t at) : of_(&of), at_(at) {}
    const JsonDocument* of_;
    size_t at_;
  };
  Iterator begin() const;
  Iterator end() const;

  std::optional<JsonView> find(std::string_view key) const;  // nothing when it is no object
  // A copy that stands alone, at the top without the members of these names. A key that comes
  // twice is an error.
  Json to_json(std::initializer_list<std::string_view> left_out = {}) const;

  const std::string& file() const;  // what errors call the document

 private:
  friend class JsonDocument;
  friend class Iterator;
  JsonView(const JsonDocument& of, size_t at) : of_(&of), at_(at) {}
  const JsonDocument* of_;
  size_t at_;
};

class JsonDocument {
 public:
  // The text must stay where it is. Strict as parse_json, but keys are not compared: what reads an
  // object through its view sees to that.
  JsonDocument(std::string_view text, std::string name);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonView root() const { return {*this, 0}; }

  // "NAME: byte 12: found what, wanted that".
  [[noreturn]] void wrong(size_t byte, const std::string& found, std::string_view wanted) const;

 private:
  friend class JsonView;
  friend class JsonReader;
  struct Part {
    uint32_t from, size;  // of a string's text; of a container: index behind it, and count
  };
  struct Value {
    uint32_t offset;
    Json::Kind kind;
    bool copied;  // a string with escapes: its text stands in copies_
    union {
      int64_t integer;
      double number;
      Part part;
    };
  };
  static_assert(sizeof(Value) == 16);

  std::string_view text_;
  std::string name_;
  std::vector<Value> values_;
  std::string copies_;
};

inline Json::Kind JsonView::kind() const { return of_->values_[at_].kind; }
inline size_t JsonView::offset() const { return of_->values_[at_].offset; }

inline std::string_view JsonView::text() const {
  const auto& value = of_->values_[at_];
  const std::string_view from = value.copied ? std::string_view(of_->copies_) : of_->text_;
  return from.substr(value.part.from, value.part.size);
}

inline int64_t JsonView::integer() const { return of_->values_[at_].integer; }

inline double JsonView::number() const {
  const auto& value = of_->values_[at_];
  return value.kind == Json::Kind::integer ? static_cast<double>(value.integer) : value.number;
}

inline size_t JsonView::size() const { return of_->values_[at_].part.size; }

inline JsonView::Iterator& JsonView::Iterator::operator++() {
  const auto& value = of_->values_[at_];
  const bool many = value.kind == Json::Kind::array || value.kind == Json::Kind::object;
  at_ = many ? value.part.from : at_ + 1;
  return *this;
}

inline JsonView::Iterator JsonView::begin() const { return {*of_, at_ + 1}; }
inline JsonView::Iterator JsonView::end() const { return {*of_, of_->values_[at_].part.from}; }

inline const std::string& JsonView::file() const { return of_->name_; }

}  // namespace jogak
