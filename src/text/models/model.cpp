#include "text/models/model.h"

#include <iomanip>

#include "base/utf8.h"
#include "text/models/bpe.h"
#include "text/models/unigram.h"
#include "text/models/word_level.h"
#include "text/models/word_piece.h"
#include "text/reading.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

ModelFile::ModelFile(const JsonView& model)
    : model_(model), json_(model.to_json({"vocab", "merges"})), fields_(json_, model.file()) {}

JsonView ModelFile::large(std::string_view key) const {
  const auto found = model_.find(key);
  ensure<FormatError>(found.has_value(), model_.file(), ": byte ", model_.offset(), ": key \"", key,
                      "\" is missing");
  return *found;
}

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

void fail_unknown(const Piece& piece, size_t from, size_t to, const std::string& unk_token) {
  if (!piece.of->knows_origins()) throw PlaceNotKnown();
  const Span origin = piece.origin(from, to);
  const std::string_view original = piece.of->original();
  const std::string_view found = original.substr(origin.from, origin.to - origin.from);
  std::ostringstream name;
  name << shown(found);
  if (utf8::count(found) == 1)
    name << " (U+" << std::hex << std::uppercase << std::setw(4) << std::setfill('0')
         << static_cast<uint32_t>(code_at(found.data()).value) << ")";
  const std::string why = unk_token.empty() ? "and there is no unknown token"
                                            : "nor is the unknown token " + shown(unk_token);
  fail<FormatError>("text: character ", utf8::count(original.substr(0, origin.from)), " (byte ",
                    origin.from, "): ", name.str(), " is not in the vocabulary, ", why);
}

}  // namespace jogak::text
