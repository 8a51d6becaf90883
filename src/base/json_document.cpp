#include "base/json_document.h"

#include <algorithm>
#include <unordered_set>

namespace jogak {

using Kind = Json::Kind;

std::string_view JsonView::written() const {
  const std::string_view rest = of_->text_.substr(offset());
  return rest.substr(0, rest.find_first_not_of("+-.0123456789eE"));
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!is(Kind::object)) return {};
  for (Iterator at = begin(); at != end(); ++at) {
    const bool found = (*at).text() == key;
    ++at;
    if (found) return *at;
  }
  return {};
}

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
