// The last look at an encoding, where special tokens come in: the "post_processor" of a
// tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/encoding.h"

namespace jogak::text {

class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  // The encodings of one text or two become parts, at least one, that are joined afterwards.
  // `add_special`: put in the tokens that open and close a text.
  virtual void process(std::vector<Encoding>& parts, bool add_special) const = 0;
  virtual size_t added(bool pair) const = 0;  // how many special tokens that are
  virtual Json to_json() const = 0;

  static std::unique_ptr<PostProcessor> read(const Json& json, const std::string& file);
};

// [CLS] text [SEP] text [SEP], as a template.
std::unique_ptr<PostProcessor> make_bert_template(const SpecialToken& cls, const SpecialToken& sep);
std::unique_ptr<PostProcessor> read_template(const Fields& fields);

}  // namespace jogak::text
