#include "base/hash/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"

namespace jogak {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t bits = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) out += i <= count ? kLetters[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string decode_base64(std::string_view text, const std::string& place) {
  static const std::array<int8_t, 256> kValues = [] {
    std::array<int8_t, 256> out{};
    out.fill(-1);
    for (size_t i = 0; i < 64; ++i) out[static_cast<unsigned char>(kLetters[i])] = int8_t(i);
    return out;
  }();
  ensure<FormatError>(text.size() % 4 == 0, place, ": found base64 of ", text.size(),
                      " characters, wanted a multiple of 4");
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int value = kValues[static_cast<unsigned char>(text[i])];
    ensure<FormatError>(value >= 0, place, ": character ", i,
                        ": found one that is not base64, wanted A-Z, a-z, 0-9, + or /");
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

}  // namespace jogak
