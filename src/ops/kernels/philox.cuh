// Philox 4x32-10: the numbers of base/random.h bit for bit.
#pragma once

#include <cstdint>

#include "ops/dropout_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

struct PhiloxWords {
  uint32_t at[4];
};

// Words 4 index .. 4 index + 3 of the stream.
__device__ __forceinline__ PhiloxWords philox_words(uint64_t seed, uint64_t stream,
                                                    uint64_t index) {
  uint32_t c0 = static_cast<uint32_t>(index), c1 = static_cast<uint32_t>(index >> 32);
  uint32_t c2 = static_cast<uint32_t>(stream), c3 = static_cast<uint32_t>(stream >> 32);
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint32_t high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    const uint32_t high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

// Word `word` of the stream.
__device__ __forceinline__ uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t word) {
  const PhiloxWords w = philox_words(seed, stream, word / 4);
  const uint32_t at = static_cast<uint32_t>(word % 4);
  return at == 0 ? w.at[0] : at == 1 ? w.at[1] : at == 2 ? w.at[2] : w.at[3];
}

// A rule as kernels take it: work that is recorded and started again goes on with other streams, by
// a number that lies on the device.
struct DropOnDevice {
  DropRule rule;
  const uint64_t* later;
  DropOnDevice(OnCuda on, const DropRule& given)
      : rule(given), later(device_of(on).later_streams()) {}
  __device__ __forceinline__ DropRule now() const {
    DropRule out = rule;
    out.stream += *later;
    return out;
  }
};

// What an element is multiplied by: 0, or the scale of those that stay.
template <class S>
__device__ __forceinline__ S drop_factor(const DropRule& rule, uint64_t element) {
  return philox_word(rule.seed, rule.stream, element) < rule.limit ? S{0}
                                                                   : static_cast<S>(rule.scale);
}

}  // namespace jogak::cuda
