#include "base/crc32c.h"

#include <nmmintrin.h>

#include <array>
#include <cstring>

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

__attribute__((target("sse4.2"))) uint32_t crc32c_by_sse42(std::string_view bytes,
                                                           uint32_t before) {
  uint64_t crc = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto low = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) low = _mm_crc32_u8(low, static_cast<uint8_t>(*at));
  return ~low;
}

}  // namespace

uint32_t detail::crc32c_by_table(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 0xFF];
  return ~crc;
}

uint32_t crc32c(std::string_view bytes, uint32_t before) {
  static const bool fast = __builtin_cpu_supports("sse4.2");
  return fast ? crc32c_by_sse42(bytes, before) : detail::crc32c_by_table(bytes, before);
}

uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace jogak
