// Rewrites text before it is cut: the "normalizer" of a tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "text/aligned_text.h"

namespace jogak::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual AlignedText apply(AlignedText in) const = 0;
  virtual Json to_json() const = 0;

  static std::unique_ptr<Normalizer> read(const Json& json, const std::string& file);
};

}  // namespace jogak::text
