// Cuts text into the pieces the model sees one by one: the "pre_tokenizer" of a tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "base/function_ref.h"
#include "base/json.h"
#include "text/aligned_text.h"
#include "text/stages/pattern.h"

namespace jogak::text {

using PieceSink = FunctionRef<void(const Piece&)>;

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Hands over the pieces in order, none empty. A piece and its text live only during the call
  // to `out`.
  virtual void split(const Piece& in, PieceSink out) const = 0;
  virtual bool makes_bytes() const { return false; }    // pieces carry Piece::bytes
  virtual bool needs_origins() const { return false; }  // where a piece comes from decides
  virtual Json to_json() const = 0;

  static std::unique_ptr<PreTokenizer> read(const Json& json, const std::string& file);
};

// One that looks at characters: bytes are spelled out before it sees them.
class CharacterCutter : public PreTokenizer {
 public:
  void split(const Piece& in, PieceSink out) const final;

 private:
  virtual void cut(const Piece& in, PieceSink out) const = 0;
};

struct ByteLevelOptions {
  bool add_prefix_space = true;
  bool trim_offsets = true;  // read and written; only the post-processor acts on it
  bool use_regex = true;     // cut by GPT-2's word pattern
};
ByteLevelOptions read_byte_level(const Fields& fields);  // the three keys and "type"
Json byte_level_json(const ByteLevelOptions& options);

std::unique_ptr<PreTokenizer> make_byte_level(ByteLevelOptions options);
std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer();

// Those that go by what class a character is of; null when the type is another.
std::unique_ptr<PreTokenizer> read_class_cutter(const Fields& fields, const std::string& type);

}  // namespace jogak::text
