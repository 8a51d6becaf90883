#include "base/random.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.h"

namespace jogak {

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011), Philox4x32-10.
Philox4 philox(uint64_t seed, uint64_t stream, uint64_t index) {
  constexpr uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  Philox4 c = {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
               static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kM0 * c[0], p1 = kM1 * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += kW0;
    k1 += kW1;
  }
  return c;
}

uint32_t Rng::next_u32() {
  const uint64_t at = position_++;
  return philox(seed_, stream_, at / 4)[at % 4];
}

uint64_t Rng::next_u64() {
  const uint64_t high = next_u32();
  return (high << 32) | next_u32();
}

static double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

double Rng::uniform() { return unit(next_u64()); }

double Rng::normal() {  // Box-Muller, one of the pair: two uniforms a number, no hidden state
  double u = 0, v = 0;
  if (position_ % 4 == 0) {  // both lie in one block: a quarter of the work
    const Philox4 block = philox(seed_, stream_, position_ / 4);
    position_ += 4;
    u = 1.0 - unit(uint64_t{block[0]} << 32 | block[1]);
    v = unit(uint64_t{block[2]} << 32 | block[3]);
  } else {
    u = 1.0 - uniform();
    v = uniform();
  }
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

uint64_t Rng::below(uint64_t bound) {
  ensure<UsageError>(bound > 0, "random number below 0 asked for, wanted a bound of at least 1");
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = next_u64();
  while (value >= limit) value = next_u64();
  return value % bound;
}

Rng Rng::split(uint64_t stream) const {
  const Philox4 mixed = philox(seed_, stream_, stream ^ 0x6A6F67616BULL);
  return Rng(seed_, (static_cast<uint64_t>(mixed[0]) << 32) | mixed[1]);
}

std::vector<int64_t> permutation(int64_t count, Rng rng) {
  ensure<UsageError>(count >= 0, "permutation of ", count, " items asked for");
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) order[i] = i;
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[rng.below(static_cast<uint64_t>(i) + 1)]);
  return order;
}

}  // namespace jogak
