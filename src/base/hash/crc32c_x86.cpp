// CRC-32C by the instruction made for it. Other machines have the table alone.
#include "base/hash/crc32c.h"

#if defined(__x86_64__)

#include <nmmintrin.h>

#include <cstring>

namespace jogak {

bool detail::has_crc32c_instruction() { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) uint32_t detail::crc32c_fast(std::string_view bytes,
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

}  // namespace jogak

#else

namespace jogak {

bool detail::has_crc32c_instruction() { return false; }

uint32_t detail::crc32c_fast(std::string_view bytes, uint32_t before) {
  return crc32c_by_table(bytes, before);
}

}  // namespace jogak

#endif
