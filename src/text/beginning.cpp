#include "text/beginning.h"

#include <algorithm>

namespace jogak {

std::string_view text_beginning(const Tokenizer& tokenizer, std::string_view text, size_t tokens) {
  for (size_t bytes = std::max(tokens * 64, size_t{1} << 16); bytes < text.size(); bytes *= 4) {
    size_t end = bytes;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // of a character
    const std::string_view out = text.substr(0, end);
    if (tokenizer.encode_ids(out, {.add_special = false}).size() >= 2 * tokens) return out;
  }
  return text;
}

std::vector<int> beginning_ids(const Tokenizer& tokenizer, std::string_view text, size_t tokens,
                               EncodeOptions options) {
  return tokenizer.encode_ids(text_beginning(tokenizer, text, tokens), options);
}

}  // namespace jogak
