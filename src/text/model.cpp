#include "text/model.h"

#include <iomanip>

#include "base/utf8.h"
#include "text/bpe.h"
#include "text/reading.h"
#include "text/unicode.h"
#include "text/unigram.h"
#include "text/word_level.h"

namespace jogak::text {

std::unique_ptr<Model> Model::read(const Json& json, const std::string& file, bool byte_level) {
  const Fields fields(json, file);
  // Files of the first versions name no type; merges are what only BPE has.
  if (!fields.has("type") && fields.has("merges")) return Bpe::read(fields, byte_level);
  const std::string& type = type_of(fields, "model");
  if (type == "BPE") return Bpe::read(fields, byte_level);
  if (type == "Unigram") return Unigram::read(fields);
  if (type == "WordLevel") return WordLevel::read(fields);
  unsupported_type(fields, "model");
}

void fail_unknown(const Piece& piece, size_t from, size_t to, const std::string& unk_token) {
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
