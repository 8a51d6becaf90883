// A question beside a text, as a model reads them; of a long text several parts that overlap.
#pragma once

#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace jogak {

struct QuestionWindow {
  Encoding text;               // the question, and the part of the text
  size_t offset = 0;           // characters of the text before the part
  size_t first = 0, last = 0;  // tokens first .. last - 1 are the part's

  // Which characters of the whole text a token of the part comes from.
  Span place(size_t token) const {
    return {text.offsets[token].from + offset, text.offsets[token].to + offset};
  }
};

// No window has more than `most` tokens; two that follow each other share `stride` tokens, or half
// of a part where it is shorter. FormatError where the question leaves no room for a text.
std::vector<QuestionWindow> question_windows(const Tokenizer& tokenizer,
                                             const std::string& question,
                                             const std::string& context, size_t most,
                                             size_t stride = 128);

}  // namespace jogak
