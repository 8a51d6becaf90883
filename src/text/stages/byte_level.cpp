#include "text/stages/byte_level.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace jogak::text::byte_level {
namespace {

constexpr bool prints(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> characters{};
  std::array<int16_t, kAlphabetEnd> bytes{};
  std::array<std::array<char, 2>, 256> encoded{};  // every character is one or two bytes of UTF-8
  std::array<uint8_t, 256> encoded_size{};
};

constexpr Alphabet make_alphabet() {
  Alphabet a;
  for (auto& byte : a.bytes) byte = -1;
  char32_t next = 0x100;  // bytes that do not print take the characters from here on
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t c = prints(byte) ? static_cast<char32_t>(byte) : next++;
    a.characters[byte] = c;
    a.bytes[c] = static_cast<int16_t>(byte);
    a.encoded_size[byte] = c < 0x80 ? 1 : 2;
    a.encoded[byte][0] = static_cast<char>(c < 0x80 ? c : 0xC0 | (c >> 6));
    a.encoded[byte][1] = static_cast<char>(0x80 | (c & 0x3F));
  }
  return a;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

char32_t character(uint8_t byte) { return kAlphabet.characters[byte]; }

int byte_of(char32_t code) { return code < kAlphabetEnd ? kAlphabet.bytes[code] : -1; }

void append_characters(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out.append(kAlphabet.encoded[byte].data(), kAlphabet.encoded_size[byte]);
  }
}

std::string to_characters(std::string_view bytes) {
  std::string out;
  append_characters(out, bytes);
  return out;
}

bool append_bytes(std::string& out, std::string_view characters) {
  const size_t before = out.size();
  for (size_t at = 0; at < characters.size();) {
    const Code next = code_at(characters.data() + at);
    const int byte = byte_of(next.value);
    if (byte < 0) {
      out.resize(before);
      return false;
    }
    out += static_cast<char>(byte);
    at += next.size;
  }
  return true;
}

std::array<uint8_t, 256> alphabet_order() {
  std::array<uint8_t, 256> order{};
  for (int byte = 0; byte < 256; ++byte) order[byte] = static_cast<uint8_t>(byte);
  std::sort(order.begin(), order.end(),
            [](uint8_t a, uint8_t b) { return character(a) < character(b); });
  return order;
}

}  // namespace jogak::text::byte_level
