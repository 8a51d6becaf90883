#include "base/json_document.h"

#include <algorithm>
#include <unordered_set>

namespace jogak {

using Kind = Json::Kind;

Kind JsonView::kind() const { return of_->values_[at_].kind; }

const char* JsonView::kind_name() const {
  switch (kind()) {
    case Kind::array: return Json::array().kind_name();
    case Kind::object: return Json::object().kind_name();
    default: return to_json().kind_name();
  }
}

size_t JsonView::offset() const { return of_->values_[at_].offset; }

std::string_view JsonView::text() const {
  const auto& value = of_->values_[at_];
  const std::string_view from = value.copied ? std::string_view(of_->copies_) : of_->text_;
  return from.substr(value.part.from, value.part.size);
}

int64_t JsonView::integer() const { return of_->values_[at_].integer; }

double JsonView::number() const {
  const auto& value = of_->values_[at_];
  return value.kind == Kind::integer ? static_cast<double>(value.integer) : value.number;
}

size_t JsonView::size() const { return of_->values_[at_].part.size; }

JsonView::Iterator& JsonView::Iterator::operator++() {
  const auto& value = of_->values_[at_];
  at_ = value.kind == Kind::array || value.kind == Kind::object ? value.part.from : at_ + 1;
  return *this;
}

JsonView::Iterator JsonView::begin() const { return {*of_, at_ + 1}; }
JsonView::Iterator JsonView::end() const { return {*of_, of_->values_[at_].part.from}; }

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!is(Kind::object)) return {};
  for (Iterator at = begin(); at != end(); ++at) {
    const bool found = (*at).text() == key;
    ++at;
    if (found) return *at;
  }
  return {};
}

const std::string& JsonView::file() const { return of_->name_; }

// As deep as the document, which reading limits.
Json JsonView::to_json(std::initializer_list<std::string_view> left_out) const {
  Json out;
  const auto& value = of_->values_[at_];
  switch (value.kind) {
    case Kind::null: break;
    case Kind::boolean: out = Json(value.integer != 0); break;
    case Kind::integer: out = Json(value.integer); break;
    case Kind::number: out = Json(value.number); break;
    case Kind::string: out = Json(text()); break;
    case Kind::array: {
      std::vector<Json> items;
      items.reserve(value.part.size);
      for (const JsonView item : *this) items.push_back(item.to_json());
      out = Json::array(std::move(items));
      break;
    }
    case Kind::object: {
      std::vector<Json::Member> members;
      members.reserve(value.part.size);
      std::unordered_set<std::string_view> seen;
      for (Iterator at = begin(); at != end(); ++at) {
        const JsonView key = *at;
        if (!seen.insert(key.text()).second)
          of_->wrong(key.offset(), "key " + json_quote(key.text()) + " a second time",
                     "each key once");
        ++at;
        if (std::find(left_out.begin(), left_out.end(), key.text()) == left_out.end())
          members.emplace_back(std::string(key.text()), (*at).to_json());
      }
      out = Json::object(std::move(members));
      break;
    }
  }
  out.offset_ = value.offset;
  return out;
}

void JsonDocument::wrong(size_t byte, const std::string& found, std::string_view wanted) const {
  fail<FormatError>(name_, ": byte ", byte, ": found ", found, ", wanted ", wanted);
}

}  // namespace jogak
