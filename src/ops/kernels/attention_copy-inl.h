// Heads brought into the layouts that the products of attention want, and back: widened from what
// they are stored as, padded to whole vectors, turned.
#if defined(JOGAK_OPS_ATTENTION_COPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_ATTENTION_COPY_INL_H_
#undef JOGAK_OPS_ATTENTION_COPY_INL_H_
#else
#define JOGAK_OPS_ATTENTION_COPY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/attention_kernel.h"
#include "ops/kernels/pack-inl.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int64_t kKeyTile = 64;    // keys of a tile; a page of the cache
inline constexpr int64_t kQueryTile = 64;  // query rows of a block

// Rows of a matrix that lie `step` apart.
template <class S>
struct RowsOf {
  S* data;
  int64_t step;
};

// Of one head, from token t on.
template <class S>
RowsOf<S> HeadRows(const HeadsView& x, int64_t b, int64_t t, int64_t h) {
  return {static_cast<S*>(x.data) + b * x.batch + t * x.time + h * x.head, x.time};
}

// A width rounded up to whole vectors: what padded scratch rows need.
template <class T>
int64_t Padded(int64_t width) {
  const int64_t lanes = hn::Lanes(hn::ScalableTag<T>());
  return (width + lanes - 1) / lanes * lanes;
}

// The columns of a tile that are worked on when it holds `count` keys: whole vectors. Keys behind
// them would weigh nothing, so that leaving them out changes no bit.
template <class T>
int64_t TileSpan(int64_t count) {
  return std::min(kKeyTile, Padded<T>(count));
}

// Columns of rows, kCount at a time, from one type to the other; one of the two is what sums are
// made in. Returns how many were copied.
template <int64_t kCount, class From, class To>
HWY_INLINE int64_t CopyColumns(RowsOf<const From> x, int64_t rows, int64_t from, int64_t cols,
                               RowsOf<To> out) {
  const hn::CappedTag<SumType<From>, kCount> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = (cols - from) / kCount * kCount, end = from + whole;
  for (int64_t r = 0; whole > 0 && r < rows; ++r)
    for (int64_t i = from; i < end; i += lanes)
      StoreAs(LoadAs(d, x.data + r * x.step + i), d, out.data + r * out.step + i);
  return end;
}

// Calls and tails are costly for rows of a few numbers.
template <class From, class To>
void CopyRows(RowsOf<const From> x, int64_t rows, int64_t cols, RowsOf<To> out) {
  int64_t done = CopyColumns<16>(x, rows, 0, cols, out);
  done = CopyColumns<8>(x, rows, done, cols, out);
  done = CopyColumns<4>(x, rows, done, cols, out);
  CopyColumns<1>(x, rows, done, cols, out);
}

// x [rows, cols] -> packed rows of `width`, which is padded, the rest zero.
template <class S, class T>
void CopyPadded(RowsOf<const S> x, int64_t rows, int64_t cols, int64_t width, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; cols < width && r < rows; ++r)
    hn::StoreU(hn::Zero(d), d, out + (r + 1) * width - lanes);
  CopyRows(x, rows, cols, RowsOf<T>{out, width});
}

// x [rows, cols] -> [cols, rows].
template <class T>
void Turn(RowsOf<const T> x, int64_t rows, int64_t cols, RowsOf<T> out) {
  const int64_t whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4)
    for (int64_t c = 0; c < whole_cols; c += 4)
      TurnFour(x.data + r * x.step + c, x.step, out.data + c * out.step + r, out.step);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      out.data[c * out.step + r] = x.data[r * x.step + c];
}

// x [rows <= 64, cols] -> its transpose, rows 64 apart, filled with zeros up to the tile's span.
template <class T>
void TurnTile(RowsOf<const T> x, int64_t rows, int64_t cols, T* out) {
  Turn(x, rows, cols, RowsOf<T>{out, kKeyTile});
  const int64_t span = TileSpan<T>(rows);
  if (rows < span)
    for (int64_t c = 0; c < cols; ++c)
      std::fill(out + c * kKeyTile + rows, out + c * kKeyTile + span, T{0});
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
