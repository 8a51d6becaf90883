// Texts as a user gives them: words of the command line, or lines of standard input.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/data/line_reader.h"
#include "app/data/text_line.h"

namespace jogak {

using TakeLines = std::function<void(std::span<const TextLine>)>;

// Hands the lines on, at most `at_once`; fewer before waiting for input and at the end. A line that
// is not UTF-8 is a FormatError with its byte, after those before it were handed on.
void take_lines(LineReader& in, size_t at_once, const TakeLines& take);
// The texts in a column of a .csv, .tsv, .txt or .jsonl.
std::vector<TextLine> table_texts(const std::string& file, const std::string& column);
// The same for texts that are there already.
void take_texts(std::span<const std::string> texts, size_t at_once, const TakeLines& take);

}  // namespace jogak
