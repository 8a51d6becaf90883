// SentencePiece's way to write spaces: as a character of their own, '▁', at the start of words.
#pragma once

#include <memory>
#include <string>

#include "text/stages/pre_tokenizer.h"

namespace jogak::text {

struct MetaspaceOptions {
  enum class Prepend { always, first, never };
  std::string replacement = "▁";  // one character
  Prepend prepend = Prepend::always;
  bool split = true;  // every space opens a new piece
};
MetaspaceOptions read_metaspace(const Fields& fields);
Json metaspace_json(const MetaspaceOptions& options);

std::unique_ptr<PreTokenizer> make_metaspace(MetaspaceOptions options);

}  // namespace jogak::text
