#include "text/reading.h"

#include <algorithm>

#include "base/utf8.h"

namespace jogak::text {

std::string shown(std::string_view text) {
  constexpr size_t kMost = 60;
  if (text.size() <= kMost) return json_quote(text);
  const std::string_view head = text.substr(0, kMost);
  return json_quote(head.substr(0, utf8::whole_prefix(head))) + "...";
}

void only_keys(const Fields& fields, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : fields.json().members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fail<FormatError>(fields.file(), ": byte ", value.offset(), ": key ", shown(key),
                      " is not known here");
  }
}

const std::string& type_of(const Fields& fields, std::string_view what) {
  ensure<FormatError>(fields.has("type"), fields.file(), ": byte ", fields.json().offset(), ": ",
                      what, " has no \"type\"");
  return fields.text("type");
}

void unsupported_type(const Fields& fields, std::string_view what) {
  const Json& type = fields.at("type");
  fail<FormatError>(fields.file(), ": byte ", type.offset(), ": ", what, " of type ",
                    shown(type.text()), " is not supported");
}

namespace {

// With the steps of the steps, as deep as JSON may be nested.
size_t all_steps(const std::vector<Json>& steps, std::string_view key) {
  size_t count = steps.size();
  for (const Json& step : steps) {
    const Json* const inner = step.is_object() ? step.find(key) : nullptr;
    if (inner && inner->is_array()) count += all_steps(inner->items(), key);
  }
  return count;
}

}  // namespace

const std::vector<Json>& steps_of(const Fields& fields, std::string_view key) {
  const std::vector<Json>& steps = fields.list(key);
  const size_t count = all_steps(steps, key);
  ensure<FormatError>(count <= kMaxSteps, fields.file(), ": byte ", fields.at(key).offset(), ": \"",
                      key, "\": found ", count, " steps, wanted at most ", kMaxSteps);
  return steps;
}

void must_be_off(const Fields& fields, std::string_view key) {
  if (!fields.has(key)) return;
  const Json& value = fields.at(key);
  const bool off = (value.is_bool() && !value.boolean()) ||
                   (value.is_string() && value.text().empty()) ||
                   (value.is_number() && value.number() == 0);
  if (!off) fields.wrong(value, key, "it to be off: it is not supported");
}

}  // namespace jogak::text
