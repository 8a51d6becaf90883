#include "text/models/bpe.h"
#include "text/models/model.h"
#include "text/models/unigram.h"
#include "text/models/word_level.h"
#include "text/models/word_piece.h"
#include "text/reading.h"

namespace jogak::text {

std::unique_ptr<Model> Model::read(const JsonView& json, bool byte_level) {
  const ModelFile file(json);
  const Fields& fields = file.fields();
  // Files of the first versions name no type; each kind has a key that only it has.
  if (!fields.has("type")) {
    if (file.has("merges")) return Bpe::read(file, byte_level);
    if (fields.has("max_input_chars_per_word")) return WordPiece::read(file);
    if (file.has("vocab") && file.vocab().is(Json::Kind::array)) return Unigram::read(file);
    if (fields.has("unk_token")) return WordLevel::read(file);
  }
  const std::string& type = type_of(fields, "model");
  if (type == "BPE") return Bpe::read(file, byte_level);
  if (type == "Unigram") return Unigram::read(file);
  if (type == "WordLevel") return WordLevel::read(file);
  if (type == "WordPiece") return WordPiece::read(file);
  unsupported_type(fields, "model");
}

}  // namespace jogak::text
