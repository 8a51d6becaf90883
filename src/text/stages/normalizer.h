// Rewrites text before it is cut: the "normalizer" of a tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/aligned_text.h"
#include "text/stages/normalizer_steps.h"
#include "text/unicode/normal.h"

namespace jogak::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual AlignedText apply(AlignedText in) const = 0;
  virtual Json to_json() const = 0;

  static std::unique_ptr<Normalizer> read(const Json& json, const std::string& file);
};

// `names_accents`: strip_accents stands in the file; else it follows lowercase.
std::unique_ptr<Normalizer> make_bert_normalizer(BertOptions options, bool names_accents = false);
std::unique_ptr<Normalizer> make_normal_form(NormalForm form);
std::unique_ptr<Normalizer> make_normalizer_sequence(
    std::vector<std::unique_ptr<Normalizer>> steps);

}  // namespace jogak::text
