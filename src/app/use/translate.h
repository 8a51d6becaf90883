// `jogak translate`: lines in, lines out, in the same order.
#pragma once

#include <functional>

#include "app/data/line_reader.h"
#include "app/data/pairs.h"
#include "base/json.h"

namespace jogak {

struct TranslateCommand {
  std::string directory;
  TranslateSettings settings;                    // from directory_settings, changed by flags
  bool json = false;                             // one object a line instead of text
  std::function<void(const std::string&)> line;  // takes a line of the result
  std::function<void()> flush;                   // before waiting for more input
  std::function<std::string(const Alignment&)> picture;  // of an alignment, for a terminal
};

// Reads to the end. A line that is not UTF-8 is a FormatError with its number and byte, after the
// lines before it were written. n-best texts of a line without --json: one line each, with tabs
// between the number of the line, the score and the text.
void translate_input(LineReader& in, const TranslateCommand& command);

// {"source","translations":[{"text","score","alignment"}]}; the alignment, when asked for, holds
// "source" and "target" tokens and "weights", one row a target token.
Json translation_json(const std::string& source, const LineTranslation& translation);

}  // namespace jogak
