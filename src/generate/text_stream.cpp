#include "generate/text_stream.h"

#include <utility>

namespace jogak {

TextStream::TextStream(const Tokenizer& tokenizer, std::span<const int> prompt,
                       std::vector<std::string> stops)
    : decoder_(tokenizer), filter_(std::move(stops)) {
  decoder_.begin_after(prompt);
}

std::string TextStream::push(int id) { return filter_.push(decoder_.push(id)); }

std::string TextStream::finish() {
  std::string out = filter_.push(decoder_.finish());
  return out + filter_.finish();
}

}  // namespace jogak
