#include "base/hash/crc32c.h"

#include <array>

namespace jogak {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();

}  // namespace

uint32_t detail::crc32c_by_table(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 0xFF];
  return ~crc;
}

uint32_t crc32c(std::string_view bytes, uint32_t before) {
  static const bool fast = detail::has_crc32c_instruction();
  return fast ? detail::crc32c_fast(bytes, before) : detail::crc32c_by_table(bytes, before);
}

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace jogak
