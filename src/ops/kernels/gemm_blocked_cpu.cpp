// The matrix product. C is cut into a rectangle for each thread; of the operand with fewer lines a
// thread holds as much as its cache takes, packed, and multiplies it with one packed piece of the
// other after the other, tile by tile in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_blocked_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/pack-inl.h"
#include "ops/kernels/tile-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// Numbers of the smaller operand that a task keeps packed: 2 MB of f32, for the core's second cache
// and what is behind it (half of it was slower).
inline constexpr int64_t kHeld = int64_t{1} << 19;
inline constexpr int64_t kDeepest = 2;                 // chunks of k that are held at most
inline constexpr int64_t kMaxVector = 16;              // floats
inline constexpr int64_t kBlockRows = 12 * kTileRows;  // rows of the larger one, packed at a time

template <class T>
int64_t PanelWidth() {
  return kTileVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
}

int64_t Up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

// Columns of a panel as packed: whole vectors.
template <class T>
int64_t PackedWidth(int64_t cols) {
  return Up(cols, static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())));
}

// A rectangle of C, made by one thread.
template <class T>
struct Part {
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row, b_col;
  T* c;
  int64_t c_row;
  int64_t m, n, k;
  bool add;

  Part(const Gemm& g, int64_t i, int64_t rows, int64_t j, int64_t cols)
      : a(static_cast<const T*>(g.a) + i * g.a_row),
        a_row(g.a_row),
        a_col(g.a_col),
        b(static_cast<const T*>(g.b) + j * g.b_col),
        b_row(g.b_row),
        b_col(g.b_col),
        c(static_cast<T*>(g.c) + i * g.c_row + j),
        c_row(g.c_row),
        m(rows),
        n(cols),
        k(g.k),
        add(g.accumulate) {}

  int64_t chunk(int64_t k0) const { return std::min(kGemmChunk, k - k0); }
  Into into(int64_t k0) const { return add || k0 > 0 ? Into::add_after : Into::overwrite; }

  // Rows [i, i + rows) of A over the chunk at k0, in groups of kTileRows; columns of B in panels.
  void pack_a(int64_t i, int64_t rows, int64_t k0, T* out) const {
    PackPanels(a + i * a_row + k0 * a_col, a_row, a_col, rows, chunk(k0), kTileRows, 1, out);
  }
  void pack_b(int64_t j, int64_t cols, int64_t k0, T* out) const {
    PackPanels(b + k0 * b_row + j * b_col, b_col, b_row, cols, chunk(k0), PanelWidth<T>(),
               PackedWidth<T>(1), out);
  }
  Ahead next_a(int64_t i, int64_t rows, int64_t k0, int64_t count, int64_t tiles) const {
    return Ahead(a + i * a_row + k0 * a_col, a_row, a_col, rows, count, tiles);
  }
  Ahead next_b(int64_t j, int64_t cols, int64_t k0, int64_t count, int64_t tiles) const {
    return Ahead(b + k0 * b_row + j * b_col, b_col, b_row, cols, count, tiles);
  }
};

template <class T>
void TilesOfWidth(const TileArgs<T>& t, int64_t rows, int64_t width) {
  switch (width / static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()))) {
    case 1: return TileRows<1>(t, rows);
    case 2: return TileRows<2>(t, rows);
    case 3: return TileRows<3>(t, rows);
    default: return TileRows<4>(t, rows);
  }
}

// C is written long after the tile begins: what it holds is on its way meanwhile.
template <class T>
HWY_INLINE void FetchTile(const T* c, int64_t c_row, int64_t cols) {
  for (int64_t r = 0; r < kTileRows; ++r)
    for (int64_t j = 0; j < cols; j += static_cast<int64_t>(64 / sizeof(T)))
      __builtin_prefetch(c + r * c_row + j, 1, 2);
}

// Packed rows times one packed panel of B.
template <class T>
void RowsTimesPanel(const T* rows_a, int64_t rows, int64_t k, const T* panel, int64_t cols, T* c,
                    int64_t c_row, Into into, Ahead& ahead, Ahead& later) {
  const int64_t width = PackedWidth<T>(cols);
  alignas(64) T edge[kTileRows * kTileVectors * kMaxLanes];
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int64_t high = std::min<int64_t>(kTileRows, rows - i);
    T* const out = c + i * c_row;
    TileArgs<T> t{k, rows_a + i * k, 1, high, panel, width, out, c_row, into};
    ahead.fetch();
    later.fetch();
    if (i + kTileRows < rows) FetchTile(out + kTileRows * c_row, c_row, cols);
    if (cols == width) {
      TilesOfWidth(t, high, width);
      continue;
    }
    t.c = edge, t.c_row = width;
    if (into != Into::overwrite)
      for (int64_t r = 0; r < high; ++r) std::copy_n(out + r * c_row, cols, edge + r * width);
    TilesOfWidth(t, high, width);
    for (int64_t r = 0; r < high; ++r) std::copy_n(edge + r * width, cols, out + r * c_row);
  }
}

// What a task packs: the lines it holds, of the operand that has fewer, over `deep` of k, and one
// piece of the other operand over a chunk.
template <class T>
struct Scratch {
  int64_t lines, deep;
  T *held, *piece;
};

int64_t Tiles(int64_t rows, int64_t cols, int64_t k, int64_t width) {
  return Up(rows, kTileRows) / kTileRows * (Up(cols, width) / width) *
         (Up(k, kGemmChunk) / kGemmChunk);
}

// Fewer rows than columns: rows [i0, i0 + rows) are held over [k0, k1), panels of B come and go.
template <class T>
void HoldRows(const Part<T>& p, int64_t i0, int64_t rows, int64_t k0, int64_t k1,
              const Scratch<T>& s) {
  const int64_t width = PanelWidth<T>();
  for (int64_t k = k0; k < k1; k += kGemmChunk) p.pack_a(i0, rows, k, s.held + (k - k0) * rows);
  Ahead later;  // what is held next
  if (k1 < p.k)
    later = p.next_a(i0, rows, k1, std::min(p.k - k1, s.deep), Tiles(rows, p.n, k1 - k0, width));
  for (int64_t j = 0; j < p.n; j += width)
    for (int64_t k = k0; k < k1; k += kGemmChunk) {
      const int64_t cols = std::min(width, p.n - j);
      p.pack_b(j, cols, k, s.piece);
      const bool last = k + kGemmChunk >= k1;  // of its panel
      const int64_t next_j = last ? j + width : j, next_k = last ? k0 : k + kGemmChunk;
      Ahead ahead;
      if (next_j < p.n)
        ahead = p.next_b(next_j, std::min(width, p.n - next_j), next_k, p.chunk(next_k),
                         rows / kTileRows);
      RowsTimesPanel(s.held + (k - k0) * rows, rows, p.chunk(k), s.piece, cols,
                     p.c + i0 * p.c_row + j, p.c_row, p.into(k), ahead, later);
    }
}

// Fewer columns than rows: columns [j0, j0 + cols) are held, blocks of rows come and go.
template <class T>
void HoldColumns(const Part<T>& p, int64_t j0, int64_t cols, int64_t k0, int64_t k1,
                 const Scratch<T>& s) {
  const int64_t width = PanelWidth<T>(), packed = PackedWidth<T>(cols);
  const auto held = [&](int64_t j, int64_t k) {
    return s.held + (k - k0) * packed + j * p.chunk(k);
  };
  for (int64_t k = k0; k < k1; k += kGemmChunk) p.pack_b(j0, cols, k, held(0, k));
  Ahead later;
  if (k1 < p.k)
    later = p.next_b(j0, cols, k1, std::min(p.k - k1, s.deep), Tiles(p.m, cols, k1 - k0, width));
  for (int64_t i = 0; i < p.m; i += kBlockRows)
    for (int64_t k = k0; k < k1; k += kGemmChunk) {
      const int64_t rows = std::min(kBlockRows, p.m - i);
      p.pack_a(i, rows, k, s.piece);
      const bool last = k + kGemmChunk >= k1;
      const int64_t next_i = last ? i + kBlockRows : i, next_k = last ? k0 : k + kGemmChunk;
      Ahead ahead;
      if (next_i < p.m)
        ahead = p.next_a(next_i, std::min(kBlockRows, p.m - next_i), next_k, p.chunk(next_k),
                         rows / kTileRows * (packed / width));
      for (int64_t j = 0; j < cols; j += width)
        RowsTimesPanel(s.piece, rows, p.chunk(k), held(j, k), std::min(width, cols - j),
                       p.c + i * p.c_row + j0 + j, p.c_row, p.into(k), ahead, later);
    }
}

template <class T>
void Rectangle(const Part<T>& p, const Scratch<T>& s) {
  const bool few_rows = p.m <= p.n;
  const int64_t lines = few_rows ? p.m : p.n;
  for (int64_t line = 0; line < lines; line += s.lines)
    for (int64_t k0 = 0; k0 < p.k; k0 += s.deep) {
      const int64_t count = std::min(s.lines, lines - line), k1 = std::min(p.k, k0 + s.deep);
      few_rows ? HoldRows(p, line, count, k0, k1, s) : HoldColumns(p, line, count, k0, k1, s);
    }
}

// How C is cut into one rectangle for each thread: so that the least has to be packed. Where it is
// cut changes no bit.
struct Cut {
  int64_t rows, cols;  // of a rectangle

  Cut(int64_t m, int64_t n, int64_t width) {
    const int64_t threads = std::min<int64_t>(thread_count(), Up(m * n, 1024) / 1024);
    int64_t best = -1;
    for (int64_t down = 1; down <= threads; ++down) {
      const int64_t across = threads / down;
      const int64_t high = Up((m + down - 1) / down, kTileRows),
                    wide = Up((n + across - 1) / across, width);
      const int64_t cost = high * wide * 16 + (high + wide) * 256;  // the slowest rectangle's time
      if (best >= 0 && cost >= best) continue;
      best = cost, rows = high, cols = wide;
    }
  }
};

template <class T>
void BlockedProduct(const Gemm& g) {
  const Cut cut(g.m, g.n, PanelWidth<T>());
  const int64_t down = (g.m + cut.rows - 1) / cut.rows, across = (g.n + cut.cols - 1) / cut.cols;
  Scratch<T> s;
  s.lines = std::min(Up(std::min(cut.rows, cut.cols), kMaxVector), kHeld / kGemmChunk);
  s.deep = std::min(kHeld / s.lines / kGemmChunk, kDeepest) * kGemmChunk;
  const int64_t chunk = std::min(g.k, kGemmChunk), held = s.lines * std::min(s.deep, g.k);
  const cpu::ThreadWorkspace all(
      sizeof(T) * static_cast<size_t>(held + chunk * std::max(kBlockRows, PanelWidth<T>())));
  parallel_for(down * across, 1, [&](int64_t begin, int64_t end) {
    Scratch<T> mine = s;
    mine.held = all.template mine<T>(), mine.piece = mine.held + held;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / across * cut.rows, j = task % across * cut.cols;
      Rectangle(Part<T>(g, i, std::min(cut.rows, g.m - i), j, std::min(cut.cols, g.n - j)), mine);
    }
  });
}

}  // namespace

void GemmBlocked(const Gemm& g) {
  if (g.dtype == DType::f64) return BlockedProduct<double>(g);
  BlockedProduct<float>(g);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmBlocked);

void gemm_blocked(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmBlocked)(g); }

}  // namespace jogak::cpu
#endif
