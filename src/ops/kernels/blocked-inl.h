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
#include "ops/kernels/blocked_part-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <class Kind>
void TilesOfWidth(const typename Kind::Args& t, int64_t rows, int64_t width) {
  switch (width / Kind::Lanes()) {
    case 1: return Kind::template Rows<1>(t, rows);
    case 2: return Kind::template Rows<2>(t, rows);
    case 3: return Kind::template Rows<3>(t, rows);
    default: return Kind::template Rows<4>(t, rows);
  }
}

// C is written long after the tile begins: what it holds is on its way meanwhile. A row that begins
// within a line of memory ends within one more.
template <class T>
HWY_INLINE void FetchTile(const T* c, int64_t c_row, int64_t rows, int64_t cols) {
  constexpr int64_t kLine = 64 / sizeof(T);
  if (c_row == cols) cols *= rows, rows = 1;
  if (cols == 3 * kLine) {  // a whole tile's
    for (int64_t r = 0; r < rows; ++r, c += c_row) {
      __builtin_prefetch(c, 1, 2);
      __builtin_prefetch(c + kLine, 1, 2);
      __builtin_prefetch(c + 2 * kLine, 1, 2);
      __builtin_prefetch(c + 3 * kLine - 1, 1, 2);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < cols; j += kLine) __builtin_prefetch(c + r * c_row + j, 1, 2);
    __builtin_prefetch(c + r * c_row + cols - 1, 1, 2);
  }
}

// Rows times one panel of B over a chunk of k, each packed or as it lies: a_row and panel_row words
// from one row, or step, to the next. `sums`: where C is of another type, what it will be rounded
// from after the `last` chunk; else null.
template <class Kind>
struct PanelTask {
  const typename Kind::Packed* a;
  int64_t a_row;  // 0: packed
  int64_t rows, k;
  const typename Kind::Packed* panel;
  int64_t panel_row, cols;
  typename Kind::Out* c;
  int64_t c_row;
  Into into;
  typename Kind::Sum* sums;
  int64_t sum_row;
  bool last;
  typename Part<Kind>::Whole whole;
  // What is written after these rows; null: not known.
  const typename Kind::Out* next_c = nullptr;
  int64_t next_cols = 0;
  Lines<typename Kind::Packed> next = {};  // of a panel that will not be packed
};

// What does not fill whole tiles at the edge of C is made beside it.
template <class Kind>
void RowsTimesPanel(const PanelTask<Kind>& p, Ahead& ahead, Ahead& later) {
  using Sum = typename Kind::Sum;
  constexpr bool kSame = std::is_same_v<Sum, typename Kind::Out>;
  const int64_t width = PackedWidth<Kind>(p.cols);
  alignas(64) Sum edge[Kind::kRows * Kind::kMaxWidth];
  const typename Kind::Out* bias = p.whole.bias;
  typename Kind::Out padded[Kind::kMaxWidth];
  if (bias && p.cols < width) {
    std::fill_n(std::copy_n(bias, p.cols, padded), width - p.cols, typename Kind::Out{});
    bias = padded;
  }
  for (int64_t i = 0; i < p.rows; i += Kind::kRows) {
    const int64_t high = std::min(Kind::kRows, p.rows - i);
    typename Kind::Out* const out = p.c + i * p.c_row;
    typename Kind::Args t{p.k, p.a + i * p.k, 1, high, p.panel, p.panel_row, edge, width, p.into};
    if (p.a_row > 0) t.a = p.a + i * p.a_row, t.a_row = p.a_row, t.a_col = 1;
    if constexpr (requires { t.bias; }) t.bias = bias, t.ahead = p.next.some(i / Kind::kRows, p.k);
    ahead.fetch();
    later.fetch();
    if (i + Kind::kRows < p.rows && p.last)
      FetchTile(out + Kind::kRows * p.c_row, p.c_row,
                std::min(Kind::kRows, p.rows - i - Kind::kRows), p.cols);
    else if (p.next_c)
      FetchTile(p.next_c, p.c_row, std::min(Kind::kRows, p.rows), p.next_cols);
    const bool in_place = kSame && p.cols == width;
    if constexpr (kSame) {
      if (in_place)
        t.c = out, t.c_row = p.c_row;
      else if (p.into != Into::overwrite)
        for (int64_t r = 0; r < high; ++r) std::copy_n(out + r * p.c_row, p.cols, edge + r * width);
    } else {
      t.c = p.sums + i * p.sum_row, t.c_row = p.sum_row;
    }
    TilesOfWidth<Kind>(t, high, width);
    for (int64_t r = 0; p.last && !in_place && r < high; ++r)
      Kind::Store(t.c + r * t.c_row, p.cols, out + r * p.c_row);
    if (const cpu::PartDone* const done = p.whole.done)
      done->call(done->with, out, p.c_row, {p.whole.i + i, high, p.whole.j, p.cols});
  }
}

// What a task packs: the lines it holds, of the operand that has fewer, over `deep` of k, and one
// piece of the other operand over a chunk; and sums that C is rounded from, if it is.
template <class Kind>
struct Scratch {
  int64_t lines, deep;
  typename Kind::Packed *held, *piece;
  typename Kind::Sum* sums;
};

template <class Kind>
int64_t Tiles(int64_t rows, int64_t cols, int64_t k) {
  return Up(rows, Kind::kRows) / Kind::kRows * (Up(cols, Kind::Width()) / Kind::Width()) *
         (Up(k, Kind::kChunk) / Kind::kChunk);
}

// Whether C is whole after the chunk at k, or as good as whole: sums of its own type go on there.
template <class Kind>
bool Last(const Part<Kind>& p, int64_t k) {
  return std::is_same_v<typename Kind::Sum, typename Kind::Out> || k + Kind::kChunk >= p.k;
}

// Fewer rows than columns: rows [i0, i0 + rows) are held over [k0, k1), panels of B come and go.
template <class Kind>
void HoldRows(const Part<Kind>& p, int64_t i0, int64_t rows, int64_t k0, int64_t k1,
              const Scratch<Kind>& s) {
  const int64_t width = Kind::Width(), packed = rows;
  for (int64_t k = k0; k < k1; k += Kind::kChunk) p.pack_a(i0, rows, k, s.held + (k - k0) * packed);
  Ahead later;  // what is held next
  if (k1 < p.k)
    later = p.next_a(i0, rows, k1, std::min(p.k - k1, s.deep), Tiles<Kind>(rows, p.n, k1 - k0));
  for (int64_t j = 0; j < p.n; j += width)
    for (int64_t k = k0; k < k1; k += Kind::kChunk) {
      const int64_t cols = std::min(width, p.n - j);
      const bool last = k + Kind::kChunk >= k1;  // of its panel
      const int64_t next_j = last ? j + width : j, next_k = last ? k0 : k + Kind::kChunk;
      const int64_t next_cols = std::min(width, p.n - next_j);
      typename Kind::Out* const c = p.c + i0 * p.c_row;
      PanelTask<Kind> task{s.held + (k - k0) * packed,
                           0,
                           rows,
                           p.chunk(k),
                           s.piece,
                           PackedWidth<Kind>(cols),
                           cols,
                           c + j,
                           p.c_row,
                           p.into(k),
                           s.sums,
                           width,
                           Last(p, k),
                           p.whole(i0, j, k),
                           last && next_cols > 0 ? c + next_j : nullptr,
                           next_cols};
      Ahead ahead;
      if constexpr (Part<Kind>::kMayBeTiled) {
        if (p.tiles_are_panels()) {
          task.panel = p.b_at(j, k), task.panel_row = p.b_step(j);
          if (next_j < p.n)
            task.next = {p.b_at(next_j, next_k), p.chunk(next_k) * p.b_step(next_j)};
          RowsTimesPanel<Kind>(task, ahead, later);
          continue;
        }
      }
      p.pack_b(j, cols, k, s.piece);
      if (next_cols > 0)
        ahead = p.next_b(next_j, next_cols, next_k, p.chunk(next_k), rows / Kind::kRows);
      RowsTimesPanel<Kind>(task, ahead, later);
    }
}

// Fewer columns than rows: columns [j0, j0 + cols) are held, blocks of rows come and go.
template <class Kind>
void HoldColumns(const Part<Kind>& p, int64_t j0, int64_t cols, int64_t k0, int64_t k1,
                 const Scratch<Kind>& s) {
  const int64_t width = Kind::Width(), packed = PackedWidth<Kind>(cols);
  const auto held = [&](int64_t j, int64_t k) {
    return s.held + (k - k0) * packed + j * p.chunk(k);
  };
  for (int64_t k = k0; k < k1; k += Kind::kChunk) p.pack_b(j0, cols, k, held(0, k));
  Ahead later;
  if (k1 < p.k)
    later = p.next_b(j0, cols, k1, std::min(p.k - k1, s.deep), Tiles<Kind>(p.m, cols, k1 - k0));
  for (int64_t i = 0; i < p.m; i += Kind::kBlockRows)
    for (int64_t k = k0; k < k1; k += Kind::kChunk) {
      const int64_t rows = std::min(Kind::kBlockRows, p.m - i);
      const RowsOf<Kind> a = p.rows_of(i, rows, k, cols, s.piece);
      const bool last = k + Kind::kChunk >= k1;
      const int64_t next_i = last ? i + Kind::kBlockRows : i, next_k = last ? k0 : k + Kind::kChunk;
      Ahead ahead;
      if (next_i < p.m && a.wants_next())
        ahead = p.next_a(next_i, std::min(Kind::kBlockRows, p.m - next_i), next_k, p.chunk(next_k),
                         rows / Kind::kRows * (packed / width));
      for (int64_t j = 0; j < cols; j += width)
        RowsTimesPanel<Kind>(
            {a.at, a.row, rows, p.chunk(k), held(j, k),
             PackedWidth<Kind>(std::min(width, cols - j)), std::min(width, cols - j),
             p.c + i * p.c_row + j0 + j, p.c_row, p.into(k), s.sums ? s.sums + j : s.sums, packed,
             Last(p, k), p.whole(i, j0 + j, k)},
            ahead, later);
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
template <class Kind>
struct Cut {
  int64_t rows, cols;  // of a rectangle

  Cut(int64_t m, int64_t n) {
    const int64_t threads = std::min<int64_t>(thread_count(), Up(m * n, 1024) / 1024);
    int64_t best = -1;
    for (int64_t down = 1; down <= threads; ++down) {
      const int64_t across = threads / down;
      const int64_t high = Up((m + down - 1) / down, Kind::kRows),
                    wide = Up((n + across - 1) / across, Kind::Width());
      const int64_t cost = high * wide + (high + wide) * Kind::kPackCost;  // the slowest one's time
      if (best >= 0 && cost >= best) continue;
      best = cost, rows = high, cols = wide;
    }
  }
};

// Lines that are held when C is rounded from sums: over all of k, so that its sums are whole when
// the next panel comes.
template <class Kind>
int64_t LinesOfWhole(int64_t steps) {
  constexpr int64_t kUnit = 96;  // whole tiles of every kind
  return Kind::kHeld / steps / kUnit * kUnit;
}

// Where C is not of the type of its sums, LinesOfWhole is to be above 0, and there is no sum with
// what C held.
template <class Kind>
void BlockedProduct(const Gemm& g, const cpu::PartDone* done = nullptr) {
  using Packed = typename Kind::Packed;
  using Sum = typename Kind::Sum;
  constexpr bool kSame = std::is_same_v<Sum, typename Kind::Out>;
  const int64_t steps = PackedSteps<Kind>(g.k);
  const Cut<Kind> cut(g.m, g.n);
  const int64_t down = (g.m + cut.rows - 1) / cut.rows, across = (g.n + cut.cols - 1) / cut.cols;
  Scratch<Kind> s;
  s.lines = std::min(Up(std::min(cut.rows, cut.cols), kMaxVector),
                     kSame ? Kind::kHeld / Kind::kChunk : LinesOfWhole<Kind>(steps));
  s.deep = kSame ? std::min(Kind::kHeld / s.lines / Kind::kChunk, Kind::kDeepest) * Kind::kChunk
                 : Up(steps, Kind::kChunk);
  const int64_t chunk = std::min(steps, Kind::kChunk), held = s.lines * std::min(s.deep, steps);
  const int64_t piece = chunk * std::max(Kind::kBlockRows, Kind::Width());
  const int64_t sums =
      kSame ? 0 : std::max(s.lines * Kind::Width(), Kind::kBlockRows * PackedWidth<Kind>(s.lines));
  const cpu::ThreadWorkspace all(sizeof(Packed) * static_cast<size_t>(held + piece) +
                                 sizeof(Sum) * static_cast<size_t>(sums));
  parallel_for(down * across, 1, [&](int64_t begin, int64_t end) {
    Scratch<Kind> mine = s;
    mine.held = all.template mine<Packed>(), mine.piece = mine.held + held;
    mine.sums = kSame ? nullptr : reinterpret_cast<Sum*>(mine.piece + piece);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / across * cut.rows, j = task % across * cut.cols;
      const int64_t rows = std::min(cut.rows, g.m - i), cols = std::min(cut.cols, g.n - j);
      Rectangle(Part<Kind>(g, i, rows, j, cols, done), mine);
    }
  });
}

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
