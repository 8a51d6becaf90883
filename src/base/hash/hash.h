// SHA-256 (FIPS 180-4): names the content of a file in manifests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jogak {

using Sha256State = std::array<uint32_t, 8>;

class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  std::array<uint8_t, 32> digest() const;  // of what came so far; more may follow
  std::string hex() const;                 // 64 lower-case digits

 private:
  Sha256State state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_{};
  uint64_t size_ = 0;  // bytes taken in; size_ % 64 of them wait in block_
};

std::string sha256_hex(std::string_view bytes);
std::string sha256_file(const std::string& path);  // read in pieces, never held whole

namespace detail {
extern const uint32_t kSha256Rounds[64];
void mix_blocks_plain(Sha256State& state, const uint8_t* at, size_t blocks);
void mix_blocks_fast(Sha256State& state, const uint8_t* at, size_t blocks);
bool has_sha_instructions();  // of this machine; without them nobody calls mix_blocks_fast
}  // namespace detail

}  // namespace jogak
