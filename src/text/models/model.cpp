#include "text/models/model.h"

#include <iomanip>

#include "base/utf8.h"
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
