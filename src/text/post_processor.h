// The last look at an encoding: the "post_processor" of a tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "text/encoding.h"

namespace jogak::text {

class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  // `add_special`: put in the tokens that open and close a text.
  virtual void apply(Encoding& encoding, bool add_special) const = 0;
  virtual bool changes_ids() const = 0;
  virtual Json to_json() const = 0;

  static std::unique_ptr<PostProcessor> read(const Json& json, const std::string& file);
};

}  // namespace jogak::text
