// PNG files put together by hand, right ones and wrong ones.
#pragma once

#include <cstdint>
#include <string>

namespace jogak::test {

inline std::string big_endian(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

inline uint32_t crc32(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

inline std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<uint32_t>(data.size())) + name + data +
         big_endian(crc32(name + data));
}

inline const std::string kSignature("\x89PNG\r\n\x1A\n", 8);

struct Head {
  uint32_t width = 2, height = 2;
  char depth = 8, type = 0, interlace = 0;
};

inline std::string head(Head h) {
  return chunk("IHDR", big_endian(h.width) + big_endian(h.height) +
                           std::string{h.depth, h.type, 0, 0, h.interlace});
}

// zlib data that stores the bytes as they are.
inline std::string stored(const std::string& bytes) {
  uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<uint16_t>(bytes.size());
  const auto other = static_cast<uint16_t>(~size);
  std::string out = "\x78\x01\x01";
  for (const uint16_t part : {size, other}) {
    out += static_cast<char>(part & 0xFF);
    out += static_cast<char>(part >> 8);
  }
  return out + bytes + big_endian(b << 16 | a);
}

inline std::string idat(const std::string& rows) { return chunk("IDAT", stored(rows)); }
inline const std::string kEnd = chunk("IEND", "");

inline std::string png(Head h, const std::string& rows) {
  return kSignature + head(h) + idat(rows) + kEnd;
}

}  // namespace jogak::test
