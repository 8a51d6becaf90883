#include "base/hash/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/file.h"

namespace jogak {

const uint32_t detail::kSha256Rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

void mix_block(Sha256State& state, const uint8_t* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    uint32_t word;
    std::memcpy(&word, block + 4 * i, 4);
    w[i] = __builtin_bswap32(word);
  }
  for (int i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    const uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::kSha256Rounds[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const Sha256State mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

void mix_blocks(Sha256State& state, const uint8_t* at, size_t blocks) {
  static const bool fast = detail::has_sha_instructions();
  fast ? detail::mix_blocks_fast(state, at, blocks) : detail::mix_blocks_plain(state, at, blocks);
}

}  // namespace

void detail::mix_blocks_plain(Sha256State& state, const uint8_t* at, size_t blocks) {
  for (; blocks > 0; --blocks, at += 64) mix_block(state, at);
}

Sha256& Sha256::update(std::string_view bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  const size_t waiting = size_ % 64;
  size_ += left;
  if (waiting > 0) {
    const size_t take = std::min(left, 64 - waiting);
    std::copy_n(at, take, block_.data() + waiting);
    at += take, left -= take;
    if (waiting + take < 64) return *this;
    mix_blocks(state_, block_.data(), 1);
  }
  mix_blocks(state_, at, left / 64);
  std::copy_n(at + left / 64 * 64, left % 64, block_.begin());
  return *this;
}

std::array<uint8_t, 32> Sha256::digest() const {
  Sha256 end = *this;
  const uint64_t bits = size_ * 8;
  std::string padding(1 + (119 - size_ % 64) % 64, '\0');  // up to 8 bytes before a block's end
  padding[0] = static_cast<char>(0x80);
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift);
  end.update(padding);
  std::array<uint8_t, 32> out{};
  for (size_t i = 0; i < 32; ++i)
    out[i] = static_cast<uint8_t>(end.state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

std::string Sha256::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const uint8_t byte : digest()) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) { return Sha256().update(bytes).hex(); }

std::string sha256_file(const std::string& path) {
  Sha256 hash;
  read_file_in_pieces(path, [&](std::string_view piece) { hash.update(piece); });
  return hash.hex();
}

}  // namespace jogak
