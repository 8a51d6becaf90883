// Turns tokens back into text: the "decoder" of a tokenizer.json. A decoder works token by token,
// so the same code serves whole sequences and streams.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/json.h"

namespace jogak::text {

using TextSink = FunctionRef<void(std::string_view)>;

class Decoder {
 public:
  // One sequence of tokens. What goes out is always valid UTF-8 that later tokens cannot change.
  class Pass {
   public:
    virtual ~Pass() = default;
    virtual void push(std::string_view token, TextSink out) = 0;  // one token in, tokens out
    virtual void skip(TextSink) {}  // a token stood here that is left out
    virtual void finish(TextSink) {}
  };

  virtual ~Decoder() = default;
  virtual std::unique_ptr<Pass> start() const = 0;
  virtual Json to_json() const = 0;

  // A step of a Sequence that makes one token of all. It hands that token out in parts as they
  // become final; the steps after it must therefore be started by start_joined().
  virtual bool joins() const { return false; }
  // A pass whose input are the parts of one token. This one waits for the last part.
  virtual std::unique_ptr<Pass> start_joined() const;

  static std::unique_ptr<Decoder> read(const Json& json, const std::string& file);
};

std::unique_ptr<Decoder> make_byte_level_decoder();
std::unique_ptr<Decoder> make_fuse_decoder();
std::unique_ptr<Decoder> make_word_piece_decoder(std::string prefix, bool cleanup);

// Those that look at one token at a time, by their type; null when the type is another.
std::unique_ptr<Decoder> read_token_decoder(const Fields& fields, const std::string& type);

// What the reference does when a file has no decoder: tokens with a space between them.
std::unique_ptr<Decoder::Pass> spaced_tokens();

}  // namespace jogak::text
