// Bytes of SentencePiece .model files, field by field.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace jogak::spm_bytes {

inline std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string number(uint32_t field, uint64_t value) {
  return varint(field << 3) + varint(value);
}
inline std::string bytes(uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
inline std::string single(uint32_t field, float value) {
  std::string out = varint(field << 3 | 5);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(std::bit_cast<uint32_t>(value) >> 8 * i);
  return out;
}
inline std::string piece(const std::string& text, float score = 0, int kind = 1) {
  return bytes(1, bytes(1, text) + single(2, score) + number(3, static_cast<uint64_t>(kind)));
}
inline std::string unk() { return piece("<unk>", 0, 2); }  // 16 bytes

}  // namespace jogak::spm_bytes
