// The innermost loop of every matrix product we compute ourselves: a tile of C held in
// registers, one fused multiply-add per element and step of k, in order of k. The order of a
// sum is therefore the same for every tile size, row count and thread count.
#if defined(JOGAK_OPS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_TILE_INL_H_
#undef JOGAK_OPS_TILE_INL_H_
#else
#define JOGAK_OPS_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Rows and vectors of a full tile: AVX-512 has 32 registers, AVX2 has 16.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kTileRows = 8, kTileVectors = 3;
#elif HWY_TARGET <= HWY_AVX2
inline constexpr int kTileRows = 4, kTileVectors = 3;
#else
inline constexpr int kTileRows = 4, kTileVectors = 4;
#endif

// What a tile's chains start from, and what happens to what C held.
enum class Into { overwrite, go_on, add_after };  // from 0; from C; from 0, then added to C

// A is read element by element at any strides; each row of B holds its columns side by side.
template <class T>
struct TileArgs {
  int64_t k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  Into into;
  const T* bias = nullptr;  // of whole sums, an element a column; null: none
  // What memory is asked for, a line with every step of k, in rows of kTileRows; null: nothing.
  const T* ahead = nullptr;
};

// The tile that begins at row `top` of A and C.
template <int kRows, int kVectors, bool kFetch = false, class T>
HWY_INLINE void Tile(const TileArgs<T>& t, int64_t top = 0) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = hn::Lanes(d), c_row = t.c_row;
  T* const c = t.c + top * c_row;
  hn::Vec<decltype(d)> sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      sum[i][v] = t.into == Into::go_on ? hn::LoadU(d, c + i * c_row + v * lanes) : hn::Zero(d);
  const T* a = t.a + top * t.a_row;
  const T* b = t.b;
  const T* ahead = t.ahead;
  for (int64_t k = 0; k < t.k; ++k, a += t.a_col, b += t.b_row) {
    if constexpr (kFetch) {
      __builtin_prefetch(ahead, 0, 2);
      ahead += 64 / sizeof(T);
    }
    hn::Vec<decltype(d)> row[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const auto left = hn::Set(d, a[i * t.a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(left, row[v], sum[i][v]);
    }
  }
  if (t.into == Into::add_after) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        sum[i][v] = hn::Add(hn::LoadU(d, c + i * c_row + v * lanes), sum[i][v]);
  }
  if (const T* const bias = t.bias) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto more = hn::LoadU(d, bias + v * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) sum[i][v] = hn::Add(sum[i][v], more);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[i][v], d, c + i * c_row + v * lanes);
}

// The arguments stay where they were written: a copy would wait until they are in memory.
template <int kVectors, class T>
HWY_NOINLINE void TileRows(const TileArgs<T>& t, int64_t rows) {
  int64_t top = 0;
  for (; top + kTileRows <= rows; top += kTileRows)
    t.ahead ? Tile<kTileRows, kVectors, true>(t, top) : Tile<kTileRows, kVectors>(t, top);
  const int64_t left = rows - top;
  if (left & 4) Tile<4, kVectors>(t, top), top += 4;
  if (left & 2) Tile<2, kVectors>(t, top), top += 2;
  if (left & 1) Tile<1, kVectors>(t, top);
}

// C [rows, cols] from A B for B and C whose rows are padded to whole vectors: the columns up to
// the next multiple of the vector width are read and written too.
template <class T>
HWY_INLINE void TileBlock(TileArgs<T> t, int64_t rows, int64_t cols) {
  const int64_t lanes = hn::Lanes(hn::ScalableTag<T>());
  int64_t vectors = (cols + lanes - 1) / lanes;
  const auto step = [&](int done) {
    t.b += done * lanes;
    t.c += done * lanes;
    vectors -= done;
  };
  // Of one row, more sums at a time: each of its chains waits for itself.
  if (rows == 1) {
    for (; vectors >= 8; step(8)) Tile<1, 8>(t);
    for (; vectors >= 4; step(4)) Tile<1, 4>(t);
  }
  // Four vectors are two and two: one alone loads more numbers of A than it multiplies vectors.
  for (; vectors >= kTileVectors && vectors != 4; step(kTileVectors))
    TileRows<kTileVectors>(t, rows);
  if constexpr (kTileVectors > 2)
    for (; vectors >= 2; step(2)) TileRows<2>(t, rows);
  for (; vectors >= 1; step(1)) TileRows<1>(t, rows);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
