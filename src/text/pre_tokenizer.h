// Cuts text into the pieces the model sees one by one: the "pre_tokenizer" of a tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "text/aligned_text.h"
#include "text/function_ref.h"
#include "text/pattern.h"

namespace jogak::text {

using PieceSink = FunctionRef<void(const Piece&)>;

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Hands over the pieces in order. A piece and its text live only during the call to `out`.
  virtual void split(const Piece& in, PieceSink out) const = 0;
  virtual bool makes_bytes() const { return false; }  // pieces carry Piece::bytes
  virtual Json to_json() const = 0;

  static std::unique_ptr<PreTokenizer> read(const Json& json, const std::string& file);
};

struct ByteLevelOptions {
  bool add_prefix_space = true;
  bool trim_offsets = true;  // read and written; only the post-processor acts on it
  bool use_regex = true;     // cut by GPT-2's word pattern
};
ByteLevelOptions read_byte_level(const Fields& fields);  // the three keys and "type"
Json byte_level_json(const ByteLevelOptions& options);

std::unique_ptr<PreTokenizer> make_byte_level(ByteLevelOptions options);
std::unique_ptr<PreTokenizer> make_split_isolated(std::unique_ptr<Pattern> pattern);

}  // namespace jogak::text
