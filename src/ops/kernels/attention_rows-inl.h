// The softmax of attention, row by row of a tile of scores: masked, then exponentials below the
// largest score so far. Rows are independent, so that a block takes each step for all of them.
#if defined(JOGAK_OPS_ATTENTION_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_ATTENTION_ROWS_INL_H_
#undef JOGAK_OPS_ATTENTION_ROWS_INL_H_
#else
#define JOGAK_OPS_ATTENTION_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/kernels/exp-inl.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// What becomes of the scores in a tile.
template <class T>
struct TileRule {
  T scale, cap;          // cap 0: none
  const T* bias;         // null: none
  const bool* key_mask;  // of the tile's keys; null: all are real
  int64_t span;
};

template <class T>
void ScaleRow(T* x, T factor, int64_t width) {
  const hn::ScalableTag<T> d;
  for (int64_t j = 0; j < width; j += hn::Lanes(d))
    hn::StoreU(hn::Mul(hn::LoadU(d, x + j), hn::Set(d, factor)), d, x + j);
}

template <class T>
void CapRow(T* scores, T cap, int64_t span) {
  const hn::ScalableTag<T> d;
  const auto most = hn::Set(d, cap);
  for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, scores + j);
    hn::StoreU(hn::Mul(most, TanhNan(d, hn::Div(x, most))), d, scores + j);
  }
}

// Scores with what only some models have: biased or capped, and without padded keys.
template <class T>
HWY_NOINLINE void BiasRow(T* scores, const TileRule<T>& rule, int64_t seen) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, rule.scale);
  for (int64_t j = 0; j < rule.span; j += hn::Lanes(d)) {
    const auto score = hn::LoadU(d, scores + j);
    hn::StoreU(
        rule.bias ? hn::MulAdd(score, factor, hn::LoadU(d, rule.bias + j)) : hn::Mul(score, factor),
        d, scores + j);
  }
  if (rule.cap > 0) CapRow(scores, rule.cap, rule.span);
  const T lowest = -std::numeric_limits<T>::infinity();
  if (rule.key_mask)
    for (int64_t j = 0; j < seen; ++j)
      if (!rule.key_mask[j]) scores[j] = lowest;
}

// One row's scores in a tile: scaled, biased or capped, and -inf where the key is not seen: of the
// tile's keys those from `low` to `seen` - 1 may be. Returns the largest; NaN when a score is,
// which the vector maximum alone would lose.
template <class T>
HWY_INLINE T MaskRow(T* scores, const TileRule<T>& rule, int64_t low, int64_t seen) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool plain = !rule.bias && rule.cap == 0 && !rule.key_mask;
  if (!plain) BiasRow(scores, rule, seen);
  const auto factor = hn::Set(d, plain ? rule.scale : T{1});
  const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  const auto first = [=](int64_t n) {
    return hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(n, 0, lanes)));
  };
  auto top = lowest;
  auto nan = hn::IsNaN(lowest);
  for (int64_t j = 0; j < rule.span; j += lanes) {
    auto x = hn::Mul(hn::LoadU(d, scores + j), factor);
    if (j < low) x = hn::IfThenElse(first(low - j), lowest, x);
    if (j + lanes > seen) x = hn::IfThenElse(first(seen - j), x, lowest);
    hn::StoreU(x, d, scores + j);
    top = hn::Max(top, x);
    nan = hn::Or(nan, hn::IsNaN(x));
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<T>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

// scores <- exp(scores - shift), returning their sum.
template <class T>
HWY_INLINE T ExpRow(T* scores, T shift, int64_t span) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
    const auto e = ExpWeight(d, hn::Sub(hn::LoadU(d, scores + j), hn::Set(d, shift)));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, scores + j);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// Running softmax of a row: the largest score so far and the sum of exponentials below it.
template <class T>
struct RowState {
  T top = -std::numeric_limits<T>::infinity(), sum = 0;
};

// Takes in one tile of masked scores, the largest of which is `here`: they become weights relative
// to the new maximum, and what was summed in `out` before is scaled to match. A tile without a seen
// key changes nothing.
template <class T>
HWY_INLINE void TakeTile(T* scores, int64_t span, T here, RowState<T>& state, T* out,
                         int64_t out_width) {
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  const T before = state.top, top = here <= before ? before : here;  // or NaN: then so is the sum
  if (top == kNone) {
    std::fill(scores, scores + span, T{0});
    return;
  }
  const T sum = ExpRow(scores, top, span);
  state.top = top;
  if (before == top || before == kNone) {  // the maximum stays, or nothing was summed before
    state.sum += sum;
    return;
  }
  const T fade = std::exp(before - top);
  state.sum = state.sum * fade + sum;
  ScaleRow(out, fade, out_width);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
