// Decodes ids one by one and hands out text as soon as it is final: never part of a UTF-8
// character, never part of a Hangul syllable that is spelled in conjoining jamo.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace jogak {

class StreamDecoder {
 public:
  // The tokenizer stays where it is for as long as the decoder lives.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = true);
  ~StreamDecoder();
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;

  // All that came out, put together, is what Tokenizer::decode gives for the same ids.
  std::string push(int id);
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

namespace text {
// Length of the longest prefix of valid text that does not end inside a syllable of jamo.
size_t whole_syllables(std::string_view text);
}  // namespace text

}  // namespace jogak
