// Blocks of a matrix turned in registers: kLanes rows and columns of floats.
#if defined(JOGAK_OPS_TURN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_TURN_INL_H_
#undef JOGAK_OPS_TURN_INL_H_
#else
#define JOGAK_OPS_TURN_INL_H_
#endif

#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace turn {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));  // also rows and columns of a block

#if HWY_TARGET != HWY_SCALAR
// Four vectors, transposed within each block of four floats.
HWY_INLINE void TurnWithin(V* v) {
  const D d;
  const hn::Repartition<double, D> pairs;
  const auto low = [=](V a, V b) {
    return hn::BitCast(d, hn::InterleaveLower(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const auto high = [=](V a, V b) {
    return hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const V ab = hn::InterleaveLower(d, v[0], v[1]), cd = hn::InterleaveLower(d, v[2], v[3]);
  const V ef = hn::InterleaveUpper(d, v[0], v[1]), gh = hn::InterleaveUpper(d, v[2], v[3]);
  v[0] = low(ab, cd), v[1] = high(ab, cd), v[2] = low(ef, gh), v[3] = high(ef, gh);
}

// v[r] holds columns of row r; afterwards v[c] holds rows of column c.
HWY_INLINE void Transpose(V (&v)[kLanes]) {
  const D d;
#pragma GCC unroll 4
  for (int g = 0; g < kLanes; g += 4) TurnWithin(v + g);
  if constexpr (kLanes == 8) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const V a = v[i], b = v[4 + i];
      v[i] = hn::ConcatLowerLower(d, b, a), v[4 + i] = hn::ConcatUpperUpper(d, b, a);
    }
  }
  if constexpr (kLanes == 16) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const V a = v[i], b = v[4 + i], c = v[8 + i], e = v[12 + i];
      const V ac = hn::ConcatLowerLower(d, c, a), be = hn::ConcatLowerLower(d, e, b);
      const V ca = hn::ConcatUpperUpper(d, c, a), eb = hn::ConcatUpperUpper(d, e, b);
      v[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(be), ac);
      v[4 + i] = hn::OddEvenBlocks(be, hn::SwapAdjacentBlocks(ac));
      v[8 + i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(eb), ca);
      v[12 + i] = hn::OddEvenBlocks(eb, hn::SwapAdjacentBlocks(ca));
    }
  }
}
#else
HWY_INLINE void Transpose(V (&)[1]) {}
#endif

// A block of columns of kLanes rows, line(r) each, transposed; `there` columns of it.
template <class Line>
HWY_INLINE void LoadTurned(Line line, int64_t there, V (&v)[kLanes]) {
  const D d;
  if (there >= kLanes) {
#pragma GCC unroll 16
    for (int r = 0; r < kLanes; ++r) v[r] = hn::LoadU(d, line(r));
  } else {
    const size_t left = static_cast<size_t>(there) & (kLanes - 1);  // known to be few
    for (int r = 0; r < kLanes; ++r) v[r] = LoadTail(d, line(r), left);
  }
  Transpose(v);
}

}  // namespace turn
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
