// Philox 4x32-10 on vectors: the numbers of base/random.h bit for bit, many blocks at a time, and
// dropout by them.
#if defined(JOGAK_OPS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PHILOX_INL_H_
#undef JOGAK_OPS_PHILOX_INL_H_
#else
#define JOGAK_OPS_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "ops/dropout_kernel.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

using PhiloxTag = hn::ScalableTag<uint64_t>;
using PhiloxVec = hn::Vec<PhiloxTag>;

inline int64_t PhiloxStep() { return 4 * static_cast<int64_t>(hn::Lanes(PhiloxTag())); }

// Products of the lower halves of the lanes with a factor below 2^32.
HWY_INLINE PhiloxVec TimesLower(PhiloxVec x, uint64_t factor) {
  const PhiloxTag d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, (hn::GetLane(x) & 0xFFFFFFFF) * factor);
#else
  const hn::Repartition<uint32_t, PhiloxTag> halves;
  return hn::MulEven(hn::BitCast(halves, x), hn::BitCast(halves, hn::Set(d, factor)));
#endif
}

// The PhiloxStep() words of blocks `block`, `block` + 1, ... (word i of a stream is in block
// i / 4), each block in a lane of 64 bits. As products take lower halves, nothing needs to clear
// what is left in the upper ones.
HWY_INLINE void PhiloxBlocks(uint64_t seed, uint64_t stream, uint64_t block, uint32_t* words) {
  const PhiloxTag d;
  auto c0 = hn::Add(hn::Set(d, block), hn::Iota(d, 0)), c1 = hn::ShiftRight<32>(c0);
  auto c2 = hn::Set(d, stream), c3 = hn::Set(d, stream >> 32);
  uint64_t k0 = seed, k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {
    const auto p0 = TimesLower(c0, 0xD2511F53), p1 = TimesLower(c2, 0xCD9E8D57);
    c0 = hn::Xor(hn::ShiftRight<32>(p1), hn::Xor(c1, hn::Set(d, k0)));
    c2 = hn::Xor(hn::ShiftRight<32>(p0), hn::Xor(c3, hn::Set(d, k1)));
    c1 = p1;
    c3 = p0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const auto lower = hn::Set(d, 0xFFFFFFFF);
  hn::StoreInterleaved2(hn::Or(hn::And(c0, lower), hn::ShiftLeft<32>(c1)),
                        hn::Or(hn::And(c2, lower), hn::ShiftLeft<32>(c3)), d,
                        reinterpret_cast<uint64_t*>(words));
}

// y[i] = x[i] * scale where word i of `words` says keep, else 0.
template <class T>
HWY_INLINE void DropWords(const DropRule& rule, const uint32_t* words, const T* x, T* y,
                          int64_t n) {
  const Tag<T> d;
  const hn::Rebind<uint32_t, Tag<T>> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, static_cast<SumType<T>>(rule.scale));
  const auto dropped = [&](int64_t i) {
    if constexpr (sizeof(SumType<T>) == 4) {
      return hn::RebindMask(d, hn::Lt(hn::LoadU(du, words + i), hn::Set(du, rule.limit)));
    } else {
      const hn::Rebind<int64_t, Tag<T>> wide;  // as positive numbers
      const hn::Rebind<uint64_t, Tag<T>> uwide;
      const auto word = hn::BitCast(wide, hn::PromoteTo(uwide, hn::LoadU(du, words + i)));
      return hn::RebindMask(d, hn::Lt(word, hn::Set(wide, int64_t{rule.limit})));
    }
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    StoreAs(hn::IfThenZeroElse(dropped(i), hn::Mul(LoadAs(d, x + i), scale)), d, y + i);
  if (i < n)
    StoreTail(hn::IfThenZeroElse(dropped(i), hn::Mul(LoadTail(d, x + i, n - i), scale)), d, y + i,
              n - i);
}

// Dropout of elements index .. index + n of a tensor; index must be a multiple of 4. In place
// when x == y.
template <class T>
void Drop(const DropRule& rule, uint64_t index, const T* x, T* y, int64_t n) {
  constexpr int64_t kWords = 256;
  alignas(64) uint32_t words[kWords + kMaxLanes];
  const int64_t step = PhiloxStep();
  for (int64_t at = 0; at < n; at += kWords) {
    const int64_t count = std::min(kWords, n - at);
    for (int64_t i = 0; i < count; i += step)
      PhiloxBlocks(rule.seed, rule.stream, (index + static_cast<uint64_t>(at + i)) / 4, words + i);
    DropWords(rule, words, x + at, y + at, count);
  }
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
