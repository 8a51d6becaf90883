#include "text/stream_decoder.h"

#include <algorithm>

#include "text/tokenizer_parts.h"
#include "text/unicode/grapheme.h"
#include "text/unicode/unicode.h"

namespace jogak {

struct StreamDecoder::State {
  const Tokenizer* tokenizer;
  bool skip_special;
  std::unique_ptr<text::Decoder::Pass> pass;
  std::string held{};   // decoded, not handed out
  std::string known{};  // of the text before: what comes first if nothing changes it any more
};

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special) {
  const auto& decoder = tokenizer.parts_->decoder;
  state_ = std::make_unique<State>(
      State{&tokenizer, skip_special, decoder ? decoder->start() : text::spaced_tokens()});
}

StreamDecoder::~StreamDecoder() = default;
StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;

void StreamDecoder::take(int id) {
  ensure(id >= 0, "decode: found the id ", id, ", wanted ids from 0");
  const auto token = state_->tokenizer->id_to_token(id);
  if (!token) return;
  const auto hold = [&](std::string_view text) { state_->held += text; };
  const bool skipped = state_->skip_special && state_->tokenizer->is_special(id);
  skipped ? state_->pass->skip(hold) : state_->pass->push(*token, hold);
}

// The first bytes of what is held, without those that are known.
std::string StreamDecoder::fresh(size_t size) {
  std::string& held = state_->held;
  std::string& known = state_->known;
  size_t same = 0;
  if (!known.empty()) {
    const size_t most = std::min(size, known.size());
    while (same < most && held[same] == known[same]) ++same;
    const bool differs = same < most;
    // A character that has become another one begins anew.
    while (differs && same > 0 && text::continues(known[same])) --same;
    differs ? known.clear() : void(known.erase(0, same));
  }
  std::string out = held.substr(same, size - same);
  held.erase(0, size);
  return out;
}

void StreamDecoder::begin_after(std::span<const int> ids) {
  for (const int id : ids) take(id);
  const std::string text = state_->tokenizer->decode(ids, state_->skip_special);
  const size_t out = text::whole_characters(state_->held);
  state_->held.erase(0, out);
  state_->known = text.substr(std::min(out, text.size()));
}

std::string StreamDecoder::push(int id) {
  take(id);
  return fresh(text::whole_characters(state_->held));
}

std::string StreamDecoder::finish() {
  state_->pass->finish([&](std::string_view text) { state_->held += text; });
  return fresh(state_->held.size());
}

}  // namespace jogak
