// Counter-based random numbers (Philox 4x32, 10 rounds): number i of a stream is a pure function
// of (seed, stream, i), so a result does not depend on who computes which part.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace jogak {

using Philox4 = std::array<uint32_t, 4>;
Philox4 philox(uint64_t seed, uint64_t stream, uint64_t index);

// A cursor over one stream. Copyable; its whole state is seed, stream and position.
class Rng {
 public:
  explicit Rng(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  uint32_t next_u32();
  uint64_t next_u64();
  double uniform();                  // [0, 1) with 53 bits
  double normal();                   // mean 0, deviation 1
  uint64_t below(uint64_t bound);    // 0 .. bound-1 without bias; bound > 0
  Rng split(uint64_t stream) const;  // an independent stream of the same seed

  uint64_t seed() const { return seed_; }
  uint64_t stream() const { return stream_; }
  uint64_t position() const { return position_; }
  void seek(uint64_t position) { position_ = position; }

 private:
  uint64_t seed_, stream_, position_ = 0;  // position counts 32-bit words
};

// A permutation of 0 .. count-1 fixed by (seed, stream).
std::vector<int64_t> permutation(int64_t count, Rng rng);

}  // namespace jogak
