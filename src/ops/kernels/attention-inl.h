// The steps of attention on one block of query rows and one tile of keys. Training and the paged
// cache share them, so that both give the same numbers.
#if defined(JOGAK_OPS_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_ATTENTION_INL_H_
#undef JOGAK_OPS_ATTENTION_INL_H_
#else
#define JOGAK_OPS_ATTENTION_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/attention_kernel.h"
#include "ops/kernels/pack-inl.h"
#include "ops/kernels/philox-inl.h"
#include "ops/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int64_t kKeyTile = 64;    // keys of a tile; a page of the cache
inline constexpr int64_t kQueryTile = 64;  // query rows of a block

template <class T>
T* At(const HeadsView& x, int64_t b, int64_t t, int64_t h) {
  return static_cast<T*>(x.data) + b * x.batch + t * x.time + h * x.head;
}

// A width rounded up to whole vectors: what padded scratch rows need.
template <class T>
int64_t Padded(int64_t width) {
  const int64_t lanes = hn::Lanes(hn::ScalableTag<T>());
  return (width + lanes - 1) / lanes * lanes;
}

// x [rows, cols] with rows `row` apart -> packed rows of `width`, the rest zero.
template <class T>
void CopyPadded(const T* x, int64_t row, int64_t rows, int64_t cols, int64_t width, T* out) {
  for (int64_t r = 0; r < rows; ++r, out += width) {
    std::copy_n(x + r * row, cols, out);
    std::fill(out + cols, out + width, T{0});
  }
}

// The columns of a tile that are worked on when it holds `count` keys: whole vectors. Keys behind
// them would weigh nothing, so that leaving them out changes no bit.
template <class T>
int64_t TileSpan(int64_t count) {
  return std::min(kKeyTile, Padded<T>(count));
}

// x [rows <= 64, cols] -> its transpose, rows 64 apart, filled with zeros up to the tile's span.
template <class T>
void CopyTransposed(const T* x, int64_t row, int64_t rows, int64_t cols, T* out) {
  const int64_t whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4)
    for (int64_t c = 0; c < whole_cols; c += 4)
      TurnFour(x + r * row + c, row, out + c * kKeyTile + r, kKeyTile);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      out[c * kKeyTile + r] = x[r * row + c];
  const int64_t span = TileSpan<T>(rows);
  for (int64_t c = 0; c < cols; ++c)
    std::fill(out + c * kKeyTile + rows, out + c * kKeyTile + span, T{0});
}

// The key bias of one head and tile, filled up with zeros.
template <class T>
struct TileBias {
  alignas(64) T values[kKeyTile];
  const T* data = nullptr;  // null: there is none

  TileBias(const KeyBias& bias, int64_t b, int64_t h, int64_t from) {
    if (!bias.data) return;
    const T* const row = static_cast<const T*>(bias.data) + b * bias.batch + h * bias.head;
    const int64_t count = std::min(kKeyTile, bias.keys - from);
    std::copy_n(row + from, count, values);
    std::fill(values + count, values + kKeyTile, T{0});
    data = values;
  }
};

// The bias by distance of one query and tile: keys from .. from + count - 1, filled up with zeros.
template <class T>
struct RowBias {
  alignas(64) T values[kKeyTile];

  const T* at(const DistanceBias& bias, int64_t h, int64_t place, int64_t from, int64_t count) {
    const T* const row = static_cast<const T*>(bias.data) + h * bias.head;
    const int64_t first = bias.zero + from - place, real = std::min(count, bias.columns - first);
    if (real > 0) std::copy_n(row + first, real, values);
    std::fill(values + std::max<int64_t>(real, 0), values + kKeyTile, T{0});
    return values;
  }
};

template <class T>
void ScaleRow(T* x, T factor, int64_t width) {
  const hn::ScalableTag<T> d;
  for (int64_t j = 0; j < width; j += hn::Lanes(d))
    hn::StoreU(hn::Mul(hn::LoadU(d, x + j), hn::Set(d, factor)), d, x + j);
}

// Which keys a query at `place` sees: first .. end - 1, of `keys` in all.
struct SeenKeys {
  int64_t first = 0, end = 0;
  SeenKeys(int64_t place, int64_t keys, bool causal, int64_t window) : end(keys) {
    if (window > 0) {
      first = std::clamp<int64_t>(place - window + 1, 0, keys);
      end = std::clamp<int64_t>(place + window, 0, keys);
    }
    if (causal) end = std::clamp<int64_t>(place + 1, 0, end);
  }
};

// What becomes of the scores in a tile.
template <class T>
struct TileRule {
  T scale, cap;          // cap 0: none
  const T* bias;         // null: none
  const bool* key_mask;  // of the tile's keys; null: all are real
  int64_t span;
};

template <class T>
void CapRow(T* scores, T cap, int64_t span) {
  const hn::ScalableTag<T> d;
  const auto most = hn::Set(d, cap);
  for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, scores + j);
    const auto y = hn::Mul(most, hn::Tanh(d, hn::Div(x, most)));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(x), x, y), d, scores + j);
  }
}

// One row's scores in a tile: scaled, biased or capped, and -inf where the key is not seen. Of the
// tile's keys those from `low` to `seen` - 1 may be.
template <class T>
void MaskRow(T* scores, const TileRule<T>& rule, int64_t low, int64_t seen) {
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
  for (int64_t j = 0; j < std::min(low, rule.span); ++j) scores[j] = lowest;
  for (int64_t j = std::max<int64_t>(seen, 0); j < rule.span; ++j) scores[j] = lowest;
}

// NaN when a score is: the vector maximum alone would lose it.
template <class T>
T RowMax(const T* scores, int64_t span) {
  const hn::ScalableTag<T> d;
  auto top = hn::LoadU(d, scores);
  auto nan = hn::IsNaN(top);
  for (int64_t j = hn::Lanes(d); j < span; j += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, scores + j);
    top = hn::Max(top, v);
    nan = hn::Or(nan, hn::IsNaN(v));
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<T>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

// exp of a score less its row's maximum or log-sum, in about half the steps of Highway's: x is at
// most a little above 0, below -87 (where floats end) a weight is 0, and NaN stays NaN. 2^q (1 + r
// + c2 r^2 .. c6 r^6) with |r| <= ln 2 / 2, fitted to the relative error: within 0.9 units in the
// last place.
template <class D, class V>
HWY_INLINE V ExpWeight(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return ExpNan(d, x);
  } else {
    const hn::RebindToSigned<D> di;
    const V magic = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: what is added to it becomes whole
    const V t = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic), q = hn::Sub(t, magic);
    V r = hn::NegMulAdd(q, hn::Set(d, 0.693145751953125f), x);  // ln 2 in two parts; exact
    r = hn::NegMulAdd(q, hn::Set(d, 1.42860677e-6f), r);
    V y = hn::Set(d, 0.00138144672f);
    for (const float c : {0.00836878084f, 0.0416683927f, 0.166665196f, 0.49999994f, 1.0f, 1.0f})
      y = hn::MulAdd(y, r, hn::Set(d, c));
    const auto bits = hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, t)), hn::Set(di, 0x3F800000));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0f)), hn::Mul(y, hn::BitCast(d, bits)));
  }
}

// scores <- exp(scores - shift), returning their sum.
template <class T>
T ExpRow(T* scores, T shift, int64_t span) {
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

// Takes in one tile of masked scores: they become weights relative to the new maximum, and what
// was summed in `out` before is scaled to match. A tile without a seen key changes nothing.
template <class T>
void TakeTile(T* scores, int64_t span, RowState<T>& state, T* out, int64_t out_width) {
  const T here = RowMax(scores, span);
  const T top = here <= state.top ? state.top : here;  // or NaN, and then so is the sum
  if (top == -std::numeric_limits<T>::infinity()) {
    std::fill(scores, scores + span, T{0});
    return;
  }
  // 0 for the first tile, 1 when the maximum stays.
  const T fade = state.top == top ? T{1} : std::exp(state.top - top);
  state.sum = state.sum * fade + ExpRow(scores, top, span);
  if (fade != T{1}) ScaleRow(out, fade, out_width);
  state.top = top;
}

// Masks the scores of a block of rows against one tile of keys.
template <class T>
void MaskBlock(const AttentionArgs& g, int64_t b, int64_t h, int64_t first, int64_t rows,
               int64_t from, T* scores) {
  const int64_t count = std::min(kKeyTile, g.keys - from);
  const TileBias<T> bias(g.bias, b, h, from);
  TileRule<T> rule{static_cast<T>(g.scale), static_cast<T>(g.cap), bias.data,
                   g.key_mask ? g.key_mask + b * g.keys + from : nullptr, TileSpan<T>(count)};
  RowBias<T> row_bias;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t place = first + r + g.keys - g.queries;
    const SeenKeys seen(place, g.keys, g.causal, g.window);
    if (g.distances.data) rule.bias = row_bias.at(g.distances, h, place, from, count);
    MaskRow(scores + r * kKeyTile, rule, std::clamp<int64_t>(seen.first - from, 0, count),
            std::clamp<int64_t>(seen.end - from, 0, count));
  }
}

// The tiles that rows first .. first + rows - 1 look at.
struct SeenTiles {
  int64_t begin, end;
  SeenTiles(const AttentionArgs& g, int64_t first, int64_t rows) {
    const int64_t past = g.keys - g.queries;
    begin = SeenKeys(first + past, g.keys, g.causal, g.window).first / kKeyTile;
    end = (SeenKeys(first + rows - 1 + past, g.keys, g.causal, g.window).end + kKeyTile - 1) /
          kKeyTile;
  }
};

// x * keep / (1 - rate), the kept elements chosen by the place of the weight among all weights:
// forward and backward, and any number of threads, choose the same.
template <class T>
void DropRow(const AttentionArgs& g, int64_t b, int64_t h, int64_t query, int64_t from, T* x) {
  const int64_t tiles = (g.keys + kKeyTile - 1) / kKeyTile;
  const int64_t row = (b * g.heads + h) * g.queries + query;
  Drop(drop_rule(g.dropout, g.seed, g.stream), static_cast<uint64_t>(row * tiles * kKeyTile + from),
       x, x, TileSpan<T>(std::min(kKeyTile, g.keys - from)));
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
