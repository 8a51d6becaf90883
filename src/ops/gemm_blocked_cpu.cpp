// Our own matrix product: operands packed into panels, tiles in registers, blocks over threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/gemm_blocked_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/gemm_cpu.h"
#include "ops/tile-inl.h"
#include "ops/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// How a chunk of k joins the chunks before it, and how long chunks are. With AVX-512 floats
// follow oneDNN's kernels, so that both give the same bits; elsewhere the chain of
// multiply-adds simply goes on, and a chunk is what keeps a panel of B in L1.
template <class T>
inline constexpr bool kLikeOneDnn = HWY_TARGET <= HWY_AVX3&& std::is_same_v<T, float>;
template <class T>
inline constexpr Into kJoin = kLikeOneDnn<T> ? Into::add_after : Into::go_on;
template <class T>
int64_t ChunkOf(const cpu::Gemm& g) {
  return kLikeOneDnn<T> ? cpu::onednn_chunk(g) : 256;
}

inline constexpr int64_t kBlockRows = 96;  // rows of A packed at a time: they stay in L2

// Columns [0, cols) of B, rows [0, k): one panel, padded with zeros to `width`.
template <class T>
void PackB(const T* b, int64_t b_row, int64_t b_col, int64_t k, int64_t cols, int64_t width,
           T* out) {
  if (b_col == 1) {
    for (int64_t p = 0; p < k; ++p, out += width) {
      std::copy_n(b + p * b_row, cols, out);
      std::fill(out + cols, out + width, T{0});
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j)
    for (int64_t p = 0; p < k; ++p) out[p * width + j] = j < cols ? b[p * b_row + j * b_col] : T{0};
}

// A [rows, k] in panels of kTileRows rows, k-major inside a panel.
template <class T>
void PackA(const T* a, int64_t a_row, int64_t a_col, int64_t rows, int64_t k, T* out) {
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int64_t high = std::min<int64_t>(kTileRows, rows - i);
    for (int64_t r = 0; r < high; ++r)
      for (int64_t p = 0; p < k; ++p) out[p * high + r] = a[(i + r) * a_row + p * a_col];
    out += high * k;
  }
}

// One block of rows times one packed panel of B.
template <class T>
void BlockTimesPanel(const T* packed_a, int64_t rows, int64_t k, const T* panel, int64_t width,
                     int64_t cols, T* c, int64_t c_row, Into into) {
  alignas(64) T edge[kTileRows * kTileVectors * kMaxLanes] = {};
  for (int64_t i = 0; i < rows; i += kTileRows) {
    const int64_t high = std::min<int64_t>(kTileRows, rows - i);
    T* const out = c + i * c_row;
    if (cols == width) {
      TileRows<kTileVectors>(
          TileArgs<T>{k, packed_a + i * k, 1, high, panel, width, out, c_row, into}, high);
      continue;
    }
    if (into != Into::overwrite)
      for (int64_t r = 0; r < high; ++r) std::copy_n(out + r * c_row, cols, edge + r * width);
    TileRows<kTileVectors>(
        TileArgs<T>{k, packed_a + i * k, 1, high, panel, width, edge, width, into}, high);
    for (int64_t r = 0; r < high; ++r) std::copy_n(edge + r * width, cols, out + r * c_row);
  }
}

template <class T>
void ChunkProduct(const cpu::Gemm& g, int64_t k0, int64_t k, Into into, T* packed_b) {
  const int64_t width = kTileVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t panels = (g.n + width - 1) / width;
  const T* const a = static_cast<const T*>(g.a) + k0 * g.a_col;
  const T* const b = static_cast<const T*>(g.b) + k0 * g.b_row;
  T* const c = static_cast<T*>(g.c);
  parallel_for(panels, 8, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      PackB(b + p * width * g.b_col, g.b_row, g.b_col, k, std::min(width, g.n - p * width), width,
            packed_b + p * width * k);
  });
  const int64_t row_blocks = (g.m + kBlockRows - 1) / kBlockRows;
  const int64_t panel_groups = row_blocks >= 8 ? 1 : std::min<int64_t>(panels, 8);
  const int64_t group = (panels + panel_groups - 1) / panel_groups;
  const cpu::ThreadWorkspace scratch(sizeof(T) * kBlockRows * static_cast<size_t>(k));
  parallel_for(row_blocks * panel_groups, 1, [&](int64_t begin, int64_t end) {
    T* const packed_a = scratch.mine<T>();
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / panel_groups * kBlockRows;
      const int64_t first = task % panel_groups * group, last = std::min(panels, first + group);
      if (first >= last) continue;
      const int64_t rows = std::min(kBlockRows, g.m - i);
      PackA(a + i * g.a_row, g.a_row, g.a_col, rows, k, packed_a);
      for (int64_t p = first; p < last; ++p)
        BlockTimesPanel(packed_a, rows, k, packed_b + p * width * k, width,
                        std::min(width, g.n - p * width), c + i * g.c_row + p * width, g.c_row,
                        into);
    }
  });
}

template <class T>
void BlockedProduct(const cpu::Gemm& g) {
  const int64_t width = kTileVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const int64_t columns = (g.n + width - 1) / width * width;
  const int64_t chunk = std::min(g.k, ChunkOf<T>(g));
  const cpu::Workspace packed_b(sizeof(T) * static_cast<size_t>(columns * chunk));
  for (int64_t k0 = 0; k0 < g.k; k0 += chunk) {
    const Into into = k0 > 0 || g.accumulate ? kJoin<T> : Into::overwrite;
    ChunkProduct<T>(g, k0, std::min(chunk, g.k - k0), into, packed_b.as<T>());
  }
}

void GemmBlocked(const cpu::Gemm& g) {
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
