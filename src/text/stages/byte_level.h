// GPT-2's alphabet: each byte stands as one printable character, so that any bytes can be written
// as tokens. Byte 0x20 is U+0120, bytes that print are themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace jogak::text::byte_level {

inline constexpr char32_t kAlphabetEnd = 0x144;  // one past the last character of the alphabet

char32_t character(uint8_t byte);
int byte_of(char32_t code);  // -1 when it is not in the alphabet

void append_characters(std::string& out, std::string_view bytes);
std::string to_characters(std::string_view bytes);

// Appends the bytes that `characters` stand for. False, and nothing appended, when one of them
// is not in the alphabet.
bool append_bytes(std::string& out, std::string_view characters);

// The 256 bytes in the order of their characters: the first ids of a trained vocabulary.
std::array<uint8_t, 256> alphabet_order();

}  // namespace jogak::text::byte_level
