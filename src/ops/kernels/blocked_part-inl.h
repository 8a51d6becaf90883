// What a blocked product is of: kinds of numbers, how they are packed, and a rectangle of C.
#if defined(JOGAK_OPS_BLOCKED_PART_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_BLOCKED_PART_INL_H_
#undef JOGAK_OPS_BLOCKED_PART_INL_H_
#else
#define JOGAK_OPS_BLOCKED_PART_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/gemm.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/pack-inl.h"
#include "ops/kernels/tile-inl.h"
#include "tensor/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

inline constexpr int64_t kMaxVector = 16;  // floats

// How a kind of numbers is cut, unless it says otherwise.
struct VectorSizes {
  static constexpr int64_t kRows = kTileRows;                                           // of a tile
  static constexpr int64_t kMaxWidth = kTileVectors * static_cast<int64_t>(kMaxLanes);  // of tiles
  static constexpr int64_t kChunk = kGemmChunk;  // steps of k that are multiplied at a time
  // Words of the smaller operand that a task keeps packed: 2 MB of f32, for the core's second cache
  // and what is behind it (half of it was slower); of k two chunks at most.
  static constexpr int64_t kHeld = int64_t{1} << 19;
  static constexpr int64_t kDeepest = 2;
  static constexpr int64_t kBlockRows = 12 * kTileRows;  // of the larger one, packed at a time
  static constexpr int64_t kPackCost = 16;               // of a line, in elements of C
};

// What is multiplied. Source: an operand's numbers, of which kPer steps of k become one Packed;
// Sum: what C is summed in, Out: what it is stored as, rounded once where that is another type.
template <class T>
struct Plain : VectorSizes {
  using Source = T;
  using Packed = T;
  using Sum = T;
  using Out = T;
  using Args = TileArgs<T>;
  static constexpr int64_t kPer = 1;

  static int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())); }
  static int64_t Width() { return kTileVectors * Lanes(); }  // columns of a panel
  static void PackRows(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k, T* out) {
    PackPanels(x, line, step, lines, k, kTileRows, 1, out);
  }
  static void PackColumns(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                          T* out) {
    PackPanels(x, line, step, lines, k, Width(), Lanes(), out);
  }
  template <int kVectors>
  static void Rows(const Args& t, int64_t rows) {
    TileRows<kVectors>(t, rows);
  }
  static void Store(const T* from, int64_t count, T* to) {
    Map(from, to, count, [](auto, auto v) { return v; });
  }
};

int64_t Up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

// Columns of a panel as packed: whole vectors.
template <class Kind>
int64_t PackedWidth(int64_t cols) {
  return Up(cols, Kind::Lanes());
}

template <class Kind>
int64_t PackedSteps(int64_t k) {
  return (k + Kind::kPer - 1) / Kind::kPer;
}

// Rows of A: packed, or `row` apart as they lie.
template <class Kind>
struct RowsOf {
  const typename Kind::Packed* at;
  int64_t row;  // 0: packed

  // Short rows are read from front to back: the next are on their way in any case.
  bool wants_next() const { return row == 0 || row > 64; }
};

// A rectangle of C, made by one thread. k is counted in packed steps, `deep` in numbers.
template <class Kind>
struct Part {
  using S = typename Kind::Source;
  using P = typename Kind::Packed;
  using O = typename Kind::Out;
  static constexpr bool kMayBeTiled = std::is_same_v<P, float>;
  const S* a;
  int64_t a_row, a_col;
  const S* b;  // of all columns, where they lie in tiles (tensor/tiles.h)
  int64_t b_row, b_col;
  bool b_tiled;
  int64_t first, all_cols;  // the first column here, and columns of B
  O* c;
  int64_t c_row;
  const O* bias;  // of the columns here; null: none
  const cpu::PartDone* done;
  int64_t top;  // the first row here
  int64_t m, n, k, deep;
  bool add;

  Part(const Gemm& g, int64_t i, int64_t rows, int64_t j, int64_t cols,
       const cpu::PartDone* what_follows)
      : a(static_cast<const S*>(g.a) + i * g.a_row),
        a_row(g.a_row),
        a_col(g.a_col),
        b(g.b_packed ? InTiles(g.b) : static_cast<const S*>(g.b) + j * g.b_col),
        b_row(g.b_row),
        b_col(g.b_packed ? 1 : g.b_col),
        b_tiled(g.b_packed),
        first(j),
        all_cols(g.n),
        c(static_cast<O*>(g.c) + i * g.c_row + j),
        c_row(g.c_row),
        bias(g.bias ? static_cast<const O*>(g.bias) + j : nullptr),
        done(what_follows),
        top(i),
        m(rows),
        n(cols),
        k(PackedSteps<Kind>(g.k)),
        deep(g.k),
        add(g.accumulate) {}

  // Whether a panel of B is what a tile holds of a chunk, so that it need not be packed.
  bool tiles_are_panels() const { return b_tiled && Kind::Width() == FloatTiles::kRows; }
  int64_t chunk(int64_t k0) const { return std::min(Kind::kChunk, k - k0); }
  Into into(int64_t k0) const { return add || k0 > 0 ? Into::add_after : Into::overwrite; }
  // What follows the chunk at k0 in rows and columns from i and j on: nothing, before the last.
  struct Whole {
    const O* bias;
    const cpu::PartDone* done;
    int64_t i, j;
  };
  Whole whole(int64_t i, int64_t j, int64_t k0) const {
    if (k0 + Kind::kChunk < k) return {};
    return {bias ? bias + j : nullptr, done, top + i, first + j};
  }

  // Numbers of k in `count` steps from k0 on: the last step may be short of some.
  int64_t numbers(int64_t k0, int64_t count) const {
    return std::min(count * Kind::kPer, deep - k0 * Kind::kPer);
  }
  const S* a_at(int64_t i, int64_t k0) const { return a + i * a_row + k0 * Kind::kPer * a_col; }
  const S* b_at(int64_t j, int64_t k0) const {
    if (!b_tiled) return b + k0 * Kind::kPer * b_row + j * b_col;
    const int64_t inside = (first + j) % FloatTiles::kRows;
    return b + (first + j - inside) * deep + k0 * b_step(j) + inside;
  }
  int64_t b_step(int64_t j) const {
    const int64_t column = first + j;
    return b_tiled ? FloatTiles::width(all_cols, column - column % FloatTiles::kRows) : b_row;
  }
  static const S* InTiles(const void* b) {
    return reinterpret_cast<const S*>(static_cast<const std::byte*>(b) + FloatTiles::kHead);
  }

  // Rows [i, i + rows) of A over the chunk at k0, in groups of kRows; columns of B in panels.
  void pack_a(int64_t i, int64_t rows, int64_t k0, P* out) const {
    Kind::PackRows(a_at(i, k0), a_row, a_col, rows, numbers(k0, chunk(k0)), out);
  }
  void pack_b(int64_t j, int64_t cols, int64_t k0, P* out) const {
    const int64_t count = numbers(k0, chunk(k0)), at_once = b_tiled ? Kind::Width() : cols;
    for (int64_t i = 0; i < cols; i += at_once)  // no panel lies in two tiles
      Kind::PackColumns(b_at(j + i, k0), b_col, b_step(j + i), std::min(at_once, cols - i), count,
                        out + i * chunk(k0));
  }
  // The same for `cols` columns: where they are one panel, packing would cost as much as it gives.
  RowsOf<Kind> rows_of(int64_t i, int64_t rows, int64_t k0, int64_t cols, P* packed) const {
    if constexpr (std::is_same_v<S, P>)
      if (a_col == 1 && cols <= Kind::Width()) return {a_at(i, k0), a_row};
    pack_a(i, rows, k0, packed);
    return {packed, 0};
  }
  Ahead next_a(int64_t i, int64_t rows, int64_t k0, int64_t count, int64_t tiles) const {
    return Ahead(a_at(i, k0), a_row, a_col, rows, numbers(k0, count), tiles);
  }
  Ahead next_b(int64_t j, int64_t cols, int64_t k0, int64_t count, int64_t tiles) const {
    const int64_t near = b_tiled ? std::min(cols, Kind::Width()) : cols;
    return Ahead(b_at(j, k0), b_col, b_step(j), near, numbers(k0, count), tiles);
  }
};

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
