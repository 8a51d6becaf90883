#include "server/body.h"

#include <algorithm>

#include "base/error.h"

namespace jogak::server {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Refusal too_large(size_t most) {
  return {413, "body_too_large", text_of("the body is over ", most, " bytes")};
}

BodyReader::State BodyReader::refuse(std::string message) {
  refusal_ = {.message = std::move(message)};
  return State::refused;
}

BodyReader::State BodyReader::take(std::string_view& bytes) {
  while (!bytes.empty() || (!chunked_ && left_ == 0)) {
    if (chunked_ && part_ != Part::data) {
      const char c = bytes[0];
      bytes.remove_prefix(1);
      if (const State state = take_byte(c); state != State::more) return state;
      continue;
    }
    const size_t n = std::min(left_, bytes.size());
    body_.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    left_ -= n;
    if (left_ > 0) return State::more;
    if (!chunked_) return State::whole;
    part_ = Part::data_end, line_ = 0;
  }
  return State::more;
}

BodyReader::State BodyReader::take_byte(char c) {
  if (returned_ != (c == '\n')) return refuse("lines between chunks end with CR LF");
  returned_ = c == '\r';
  if (c == '\n') return end_of_line();
  if (returned_) return State::more;
  if (part_ == Part::data_end) return refuse("found more bytes than the chunk's size says");
  if (++line_ > kLongestChunkLine) return refuse("a line between chunks is too long");
  if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
    return refuse("found a control character between chunks");
  if (part_ == Part::trailer && ++trailers_ > kLongestHead)
    return refuse("more is said after the last chunk than fits a head");
  if (part_ != Part::size) return State::more;
  const int digit = hex_digit(c);
  if (digit < 0) {
    part_ = Part::extension;
    return c == ';' && digits_ > 0 ? State::more : refuse("found a chunk without a size");
  }
  if (++digits_ > 16) return refuse("found a chunk's size of more than 16 digits");
  left_ = left_ * 16 + static_cast<size_t>(digit);
  return State::more;
}

BodyReader::State BodyReader::end_of_line() {
  const bool empty = line_ == 0;
  line_ = 0;
  if (part_ == Part::trailer) return empty ? State::whole : State::more;
  if (part_ == Part::data_end) {
    part_ = Part::size, digits_ = 0;
    return State::more;
  }
  if (digits_ == 0) return refuse("found a chunk without a size");
  if (left_ > most_ - body_.size()) {
    refusal_ = too_large(most_);
    return State::refused;
  }
  part_ = left_ == 0 ? Part::trailer : Part::data;
  return State::more;
}

}  // namespace jogak::server
