#include "generate/text_stream.h"

#include <algorithm>
#include <utility>

namespace jogak {

TextStream::TextStream(const Tokenizer& tokenizer, std::span<const int> prompt,
                       std::vector<std::string> stops)
    : decoder_(tokenizer), filter_(std::move(stops)) {
  for (const int id : prompt) decoder_.push(id);
  // A syllable spelled in jamo at the very end waits in the decoder for more of its letters.
  const std::string text = tokenizer.decode(prompt);
  prompt_left_ = text.size() - text::whole_syllables(text);
}

std::string TextStream::without_prompt(std::string text) {
  const size_t cut = std::min(prompt_left_, text.size());
  prompt_left_ -= cut;
  return text.substr(cut);
}

std::string TextStream::push(int id) { return filter_.push(without_prompt(decoder_.push(id))); }

std::string TextStream::finish() {
  std::string out = filter_.push(without_prompt(decoder_.finish()));
  return out + filter_.finish();
}

}  // namespace jogak
