// The matrix product. C is cut into a rectangle for each thread; of the operand with fewer lines a
// thread holds as much as its cache takes, packed, and multiplies it with one packed piece of the
// other after the other, tile by tile in registers.
#if defined(JOGAK_OPS_BLOCKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_BLOCKED_INL_H_
#undef JOGAK_OPS_BLOCKED_INL_H_
#else
#define JOGAK_OPS_BLOCKED_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "ops/gemm.h"
#include "ops/kernels/pack-inl.h"
#include "ops/kernels/tile-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// Words of the smaller operand that a task keeps packed: 2 MB of f32, for the core's second cache
// and what is behind it (half of it was slower).
inline constexpr int64_t kHeld = int64_t{1} << 19;
inline constexpr int64_t kDeepest = 2;                 // chunks of k that are held at most
inline constexpr int64_t kMaxVector = 16;              // floats
inline constexpr int64_t kBlockRows = 12 * kTileRows;  // rows of the larger one, packed at a time

// What is multiplied. Source: an operand's numbers, of which kPer steps of k become one Packed;
// Sum: what C is summed in, Out: what it is stored as, rounded once where that is another type.
template <class T>
struct Plain {
  using Source = T;
  using Packed = T;
  using Sum = T;
  using Out = T;
  using Args = TileArgs<T>;
  static constexpr int64_t kPer = 1;

  static void Pack(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k, int64_t unit,
                   int64_t round, T* out) {
    PackPanels(x, line, step, lines, k, unit, round, out);
  }
  template <int kVectors>
  static void Rows(const Args& t, int64_t rows) {
    TileRows<kVectors>(t, rows);
  }
  static void Store(const T* from, int64_t count, T* to) { std::copy_n(from, count, to); }
};

template <class Kind>
int64_t PanelWidth() {
  return kTileVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<typename Kind::Sum>()));
}

int64_t Up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

// Columns of a panel as packed: whole vectors.
template <class Kind>
int64_t PackedWidth(int64_t cols) {
  return Up(cols, static_cast<int64_t>(hn::Lanes(hn::ScalableTag<typename Kind::Sum>())));
}

// A rectangle of C, made by one thread. k is counted in packed steps, `deep` in numbers.
template <class Kind>
struct Part {
  using S = typename Kind::Source;
  using P = typename Kind::Packed;
  using O = typename Kind::Out;
  const S* a;
  int64_t a_row, a_col;
  const S* b;
  int64_t b_row, b_col;
  O* c;
  int64_t c_row;
  int64_t m, n, k, deep;
  bool add;

  Part(const Gemm& g, int64_t i, int64_t rows, int64_t j, int64_t cols)
      : a(static_cast<const S*>(g.a) + i * g.a_row),
        a_row(g.a_row),
        a_col(g.a_col),
        b(static_cast<const S*>(g.b) + j * g.b_col),
        b_row(g.b_row),
        b_col(g.b_col),
        c(static_cast<O*>(g.c) + i * g.c_row + j),
        c_row(g.c_row),
        m(rows),
        n(cols),
        k((g.k + Kind::kPer - 1) / Kind::kPer),
        deep(g.k),
        add(g.accumulate) {}

  int64_t chunk(int64_t k0) const { return std::min(kGemmChunk, k - k0); }
  Into into(int64_t k0) const { return add || k0 > 0 ? Into::add_after : Into::overwrite; }

  // Numbers of k in `count` steps from k0 on: the last step may be short of some.
  int64_t numbers(int64_t k0, int64_t count) const {
    return std::min(count * Kind::kPer, deep - k0 * Kind::kPer);
  }
  const S* a_at(int64_t i, int64_t k0) const { return a + i * a_row + k0 * Kind::kPer * a_col; }
  const S* b_at(int64_t j, int64_t k0) const { return b + k0 * Kind::kPer * b_row + j * b_col; }

  // Rows [i, i + rows) of A over the chunk at k0, in groups of kTileRows; columns of B in panels.
  void pack_a(int64_t i, int64_t rows, int64_t k0, P* out) const {
    Kind::Pack(a_at(i, k0), a_row, a_col, rows, numbers(k0, chunk(k0)), kTileRows, 1, out);
  }
  void pack_b(int64_t j, int64_t cols, int64_t k0, P* out) const {
    Kind::Pack(b_at(j, k0), b_col, b_row, cols, numbers(k0, chunk(k0)), PanelWidth<Kind>(),
               PackedWidth<Kind>(1), out);
  }
  Ahead next_a(int64_t i, int64_t rows, int64_t k0, int64_t count, int64_t tiles) const {
    return Ahead(a_at(i, k0), a_row, a_col, rows, numbers(k0, count), tiles);
  }
  Ahead next_b(int64_t j, int64_t cols, int64_t k0, int64_t count, int64_t tiles) const {
    return Ahead(b_at(j, k0), b_col, b_row, cols, numbers(k0, count), tiles);
  }
};

template <class Kind>
void TilesOfWidth(const typename Kind::Args& t, int64_t rows, int64_t width) {
  switch (width / PackedWidth<Kind>(1)) {
    case 1: return Kind::template Rows<1>(t, rows);
    case 2: return Kind::template Rows<2>(t, rows);
    case 3: return Kind::template Rows<3>(t, rows);
    default: return Kind::template Rows<4>(t, rows);
  }
}

// C is written long after the tile begins: what it holds is on its way meanwhile.
template <class T>
HWY_INLINE void FetchTile(const T* c, int64_t c_row, int64_t cols) {
  for (int64_t r = 0; r < kTileRows; ++r)
    for (int64_t j = 0; j < cols; j += static_cast<int64_t>(64 / sizeof(T)))
      __builtin_prefetch(c + r * c_row + j, 1, 2);
}

// Packed rows times one packed panel of B. What does not go into C as it is made, at the edge or
// where C is of another type, is made beside it; sums of other types are whole (BlockedProduct).
template <class Kind>
void RowsTimesPanel(const typename Kind::Packed* rows_a, int64_t rows, int64_t k,
                    const typename Kind::Packed* panel, int64_t cols, typename Kind::Out* c,
                    int64_t c_row, Into into, Ahead& ahead, Ahead& later) {
  using Sum = typename Kind::Sum;
  constexpr bool kSame = std::is_same_v<Sum, typename Kind::Out>;
  const int64_t width = PackedWidth<Kind>(cols);
  alignas(64) Sum edge[kTileRows * kTileVectors * kMaxLanes];
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int64_t high = std::min<int64_t>(kTileRows, rows - i);
    typename Kind::Out* const out = c + i * c_row;
    typename Kind::Args t{k, rows_a + i * k, 1, high, panel, width, edge, width, into};
    ahead.fetch();
    later.fetch();
    if (i + kTileRows < rows) FetchTile(out + kTileRows * c_row, c_row, cols);
    if constexpr (kSame) {
      if (cols == width) {
        t.c = out, t.c_row = c_row;
        TilesOfWidth<Kind>(t, high, width);
        continue;
      }
      if (into != Into::overwrite)
        for (int64_t r = 0; r < high; ++r) std::copy_n(out + r * c_row, cols, edge + r * width);
    }
    TilesOfWidth<Kind>(t, high, width);
    for (int64_t r = 0; r < high; ++r) Kind::Store(edge + r * width, cols, out + r * c_row);
  }
}

// What a task packs: the lines it holds, of the operand that has fewer, over `deep` of k, and one
// piece of the other operand over a chunk.
template <class Kind>
struct Scratch {
  int64_t lines, deep;
  typename Kind::Packed *held, *piece;
};

int64_t Tiles(int64_t rows, int64_t cols, int64_t k, int64_t width) {
  return Up(rows, kTileRows) / kTileRows * (Up(cols, width) / width) *
         (Up(k, kGemmChunk) / kGemmChunk);
}

// Fewer rows than columns: rows [i0, i0 + rows) are held over [k0, k1), panels of B come and go.
template <class Kind>
void HoldRows(const Part<Kind>& p, int64_t i0, int64_t rows, int64_t k0, int64_t k1,
              const Scratch<Kind>& s) {
  const int64_t width = PanelWidth<Kind>();
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
      RowsTimesPanel<Kind>(s.held + (k - k0) * rows, rows, p.chunk(k), s.piece, cols,
                           p.c + i0 * p.c_row + j, p.c_row, p.into(k), ahead, later);
    }
}

// Fewer columns than rows: columns [j0, j0 + cols) are held, blocks of rows come and go.
template <class Kind>
void HoldColumns(const Part<Kind>& p, int64_t j0, int64_t cols, int64_t k0, int64_t k1,
                 const Scratch<Kind>& s) {
  const int64_t width = PanelWidth<Kind>(), packed = PackedWidth<Kind>(cols);
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
        RowsTimesPanel<Kind>(s.piece, rows, p.chunk(k), held(j, k), std::min(width, cols - j),
                             p.c + i * p.c_row + j0 + j, p.c_row, p.into(k), ahead, later);
    }
}

template <class Kind>
void Rectangle(const Part<Kind>& p, const Scratch<Kind>& s) {
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

// Where C is not of the type of its sums, one chunk of k and no sum with what C held.
template <class Kind>
void BlockedProduct(const Gemm& g) {
  using Packed = typename Kind::Packed;
  const int64_t steps = (g.k + Kind::kPer - 1) / Kind::kPer;
  const Cut cut(g.m, g.n, PanelWidth<Kind>());
  const int64_t down = (g.m + cut.rows - 1) / cut.rows, across = (g.n + cut.cols - 1) / cut.cols;
  Scratch<Kind> s;
  s.lines = std::min(Up(std::min(cut.rows, cut.cols), kMaxVector), kHeld / kGemmChunk);
  s.deep = std::min(kHeld / s.lines / kGemmChunk, kDeepest) * kGemmChunk;
  const int64_t chunk = std::min(steps, kGemmChunk), held = s.lines * std::min(s.deep, steps);
  const cpu::ThreadWorkspace all(
      sizeof(Packed) *
      static_cast<size_t>(held + chunk * std::max(kBlockRows, PanelWidth<Kind>())));
  parallel_for(down * across, 1, [&](int64_t begin, int64_t end) {
    Scratch<Kind> mine = s;
    mine.held = all.template mine<Packed>(), mine.piece = mine.held + held;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / across * cut.rows, j = task % across * cut.cols;
      Rectangle(Part<Kind>(g, i, std::min(cut.rows, g.m - i), j, std::min(cut.cols, g.n - j)),
                mine);
    }
  });
}

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
