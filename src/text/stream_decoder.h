// Decodes ids one by one and hands out text as soon as it is final: never part of a UTF-8
// character, of a Hangul syllable that is spelled in conjoining jamo, or of an emoji or flag that
// several code points make up. Any number of streams may share a tokenizer.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "text/tokenizer.h"

namespace jogak {

class StreamDecoder {
 public:
  // The tokenizer stays where it is for as long as the decoder lives.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = true);
  ~StreamDecoder();
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;

  // Ids that stand before the first one pushed, whose text is known and not handed out again. What
  // they leave unfinished is completed by the ids pushed.
  void begin_after(std::span<const int> ids);

  // All that came out, put together, is what Tokenizer::decode gives for the same ids.
  std::string push(int id);
  std::string finish();

 private:
  struct State;
  void take(int id);
  std::string fresh(size_t size);
  std::unique_ptr<State> state_;
};

}  // namespace jogak
