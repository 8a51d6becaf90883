// Classes of code points as the reference tokenizer sees them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jogak::text {

// Letter, number and space are those of its regular expressions; what remains is what its other
// parts take for a word character, a digit, punctuation, control (Cc, Cf, Cn, Co), a mark (Mn).
enum CharClass : uint8_t {
  kLetter = 1,
  kNumber = 2,
  kSpace = 4,
  kWord = 8,
  kNumeric = 16,
  kPunctuation = 32,
  kHidden = 64,
  kNonspacing = 128
};

using ClassTable = std::array<uint8_t, 0x110000>;
const ClassTable& class_table();  // unpacked on first use

bool is_mark(char32_t code);           // of any of the three kinds: what StripAccents takes away
uint8_t script_number(char32_t code);  // for the UnicodeScripts pre-tokenizer; 0 goes with any

struct Code {
  char32_t value;
  int size;
};

// The code point at `p`; the text must already be known to be valid UTF-8.
inline Code code_at(const char* p) {
  const auto* b = reinterpret_cast<const unsigned char*>(p);
  if (b[0] < 0x80) return {b[0], 1};
  if (b[0] < 0xE0) return {char32_t((b[0] & 0x1F) << 6 | (b[1] & 0x3F)), 2};
  if (b[0] < 0xF0) return {char32_t((b[0] & 0x0F) << 12 | (b[1] & 0x3F) << 6 | (b[2] & 0x3F)), 3};
  return {char32_t((b[0] & 0x07) << 18 | (b[1] & 0x3F) << 12 | (b[2] & 0x3F) << 6 | (b[3] & 0x3F)),
          4};
}

constexpr bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Bytes of the character that starts with this byte of valid text.
constexpr int size_from_first(char byte) {
  const auto b = static_cast<unsigned char>(byte);
  return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
}

size_t last_character(std::string_view text);  // where it starts; the text is not empty

// Bytes of the run of spaces that opens or closes valid text.
size_t leading_space(std::string_view text);
size_t trailing_space(std::string_view text);

bool starts_with_word(std::string_view text);
bool ends_with_word(std::string_view text);

}  // namespace jogak::text
