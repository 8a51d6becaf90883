#include "text/stream_decoder.h"

#include <utility>

#include "text/tokenizer_parts.h"
#include "text/unicode.h"

namespace jogak {

struct StreamDecoder::State {
  const Tokenizer* tokenizer;
  bool skip_special;
  std::unique_ptr<text::Decoder::Pass> pass;
  std::string held;
};

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special) {
  const auto& decoder = tokenizer.parts_->decoder;
  state_ = std::make_unique<State>(
      State{&tokenizer, skip_special, decoder ? decoder->start() : text::spaced_tokens(), {}});
}

StreamDecoder::~StreamDecoder() = default;
StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;

std::string StreamDecoder::push(int id) {
  ensure(id >= 0, "decode: found the id ", id, ", wanted ids from 0");
  const auto token = state_->tokenizer->id_to_token(id);
  if (!token) return {};
  std::string& held = state_->held;
  const auto hold = [&](std::string_view text) { held += text; };
  const bool skipped = state_->skip_special && state_->tokenizer->is_special(id);
  skipped ? state_->pass->skip(hold) : state_->pass->push(*token, hold);
  const size_t whole = text::whole_syllables(held);
  std::string out = held.substr(0, whole);
  held.erase(0, whole);
  return out;
}

std::string StreamDecoder::finish() {
  state_->pass->finish([&](std::string_view text) { state_->held += text; });
  return std::exchange(state_->held, {});
}

namespace text {
namespace {

enum class Jamo { none, leading, vowel, trailing };

Jamo jamo_of(char32_t code) {
  const auto within = [&](char32_t from, char32_t to) { return code >= from && code <= to; };
  if (within(0x1100, 0x115F) || within(0xA960, 0xA97C)) return Jamo::leading;
  if (within(0x1160, 0x11A7) || within(0xD7B0, 0xD7C6)) return Jamo::vowel;
  if (within(0x11A8, 0x11FF) || within(0xD7CB, 0xD7FB)) return Jamo::trailing;
  return Jamo::none;
}

}  // namespace

size_t whole_syllables(std::string_view text) {
  // Going back over trailing consonants, vowels, leading consonants in this order finds where the
  // syllable at the end began. No syllable is longer than kMost; what is longer is let go.
  constexpr int kMost = 8;
  size_t start = text.size();
  Jamo after = Jamo::trailing;
  for (int count = 0; start > 0; ++count) {
    size_t at = start - 1;
    while (at > 0 && continues(text[at])) --at;
    const Jamo jamo = jamo_of(code_at(text.data() + at).value);
    if (jamo == Jamo::none || jamo > after) break;
    if (count == kMost) return text.size();
    after = jamo;
    start = at;
  }
  return start;
}

}  // namespace text
}  // namespace jogak
