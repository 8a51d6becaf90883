// What a Split or Replace looks for: the "pattern" of a tokenizer.json.
#pragma once

#include <memory>
#include <string_view>

#include "base/function_ref.h"
#include "base/json.h"
#include "text/aligned_text.h"

namespace jogak::text {

using SpanSink = FunctionRef<void(Span)>;

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Every match in order; they do not overlap, but may be empty.
  virtual void find(std::string_view text, SpanSink match) const = 0;
  virtual Json to_json() const = 0;
  virtual std::string_view literal() const { return {}; }  // when it is a plain string

  // {"String": "..."} or {"Regex": "..."}.
  static std::unique_ptr<Pattern> read(const Json& json, const std::string& file);
  static std::unique_ptr<Pattern> every_character();
};

}  // namespace jogak::text
