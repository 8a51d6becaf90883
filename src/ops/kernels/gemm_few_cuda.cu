#include "ops/kernels/activation.cuh"
#include "ops/kernels/columns.cuh"
#include "ops/kernels/gemm_cuda.h"
#include "ops/kernels/mma.cuh"

namespace jogak::cuda {
namespace {

constexpr int kFewWarps = 8;        // of a block
constexpr int kFewColumns = 8;      // rows of weights of a warp: a side of a tensor core's tile
constexpr int kStep = 32;           // numbers of k at a time: 8 a lane, 4 lanes a row
constexpr int64_t kFewRows = 64;    // at most
constexpr int64_t kBusy = 1 << 12;  // warps that keep a GPU's memory busy

// Warps that share their rows of weights, by the weights alone: a row of A has the same bits
// whatever the others are.
int warps_a_tile(int64_t n, int64_t k) {
  int warps = kFewWarps;
  while (warps > 1 && (n / kFewColumns * warps > kBusy || k < warps * 2 * kStep)) warps /= 2;
  return warps;
}

// Numbers of one step: of a row of weights, and of two rows of each tile of A.
template <int kTiles>
struct Piece {
  uint4 weights, rows[kTiles][2];
};

// Lanes hold 8 neighbours of k each, of both operands alike: which of them meet in which step of
// the tensor core does not matter for the sum, so that both come in pieces of 16 bytes. Behind the
// end of k the last ones are read again and count for nothing.
template <class T, int kTiles>
__device__ __forceinline__ void few_sums(const Gemm& g, int64_t column, int first, int share,
                                         float (&sums)[kTiles][4]) {
  constexpr int kAhead = kTiles == 4 ? 2 : 4;  // steps on their way
  const int lane = static_cast<int>(threadIdx.x) % 32, row = lane / 4;
  const T* const weights =
      static_cast<const T*>(g.b) + (column + row < g.n ? column + row : g.n - 1) * g.b_col;
  const T* rows[kTiles][2];
#pragma unroll
  for (int i = 0; i < 2 * kTiles; ++i) {
    const int r = 8 * i + row;
    rows[i / 2][i % 2] = static_cast<const T*>(g.a) + (r < g.m ? r : g.m - 1) * g.a_row;
  }
  const auto load = [](const T* from) { return *reinterpret_cast<const uint4*>(from); };
  const int k = static_cast<int>(g.k), step = share * kStep;
  for (int from = first * kStep; from < k; from += kAhead * step) {
    Piece<kTiles> piece[kAhead];
#pragma unroll
    for (int s = 0; s < kAhead; ++s) {
      const int i = from + s * step + lane % 4 * 8, at = i < k ? i : k - 8;
      piece[s].weights = load(weights + at);
#pragma unroll
      for (int t = 0; t < 2 * kTiles; ++t)
        piece[s].rows[t / 2][t % 2] = load(rows[t / 2][t % 2] + at);
      if (i >= k) piece[s].weights = make_uint4(0, 0, 0, 0);
    }
    __syncwarp();  // no load moves behind it: all are on their way together
#pragma unroll
    for (int s = 0; s < kAhead; ++s)
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
        const uint4 &w = piece[s].weights, &x = piece[s].rows[t][0], &y = piece[s].rows[t][1];
        const uint32_t low[4] = {x.x, y.x, x.y, y.y}, high[4] = {x.z, y.z, x.w, y.w};
        multiply_add<T>(sums[t], low, w.x, w.y);
        multiply_add<T>(sums[t], high, w.z, w.w);
      }
  }
}

template <class T, int kTiles>
__global__ void __launch_bounds__(kFewWarps * 32) few_kernel(LinearArgs a, int share) {
  __shared__ float parts[kFewWarps][16 * kTiles][kFewColumns + 1];
  const Gemm& g = a.product;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int tiles = kFewWarps / share;  // of weights, side by side
  const int64_t begin = static_cast<int64_t>(blockIdx.x) * tiles * kFewColumns;
  const int64_t column = begin + warp / share * kFewColumns;
  float sums[kTiles][4] = {};
  if (a.bias && threadIdx.x == 0) fetch_ahead(static_cast<const T*>(a.bias) + begin);
  if (column < g.n) few_sums<T, kTiles>(g, column, warp % share, share, sums);
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      parts[warp][16 * tile + lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2] = sums[tile][i];
  __syncthreads();
  const int wide_ = tiles * kFewColumns, count = static_cast<int>(g.m) * wide_;
  for (int n = static_cast<int>(threadIdx.x); n < count; n += kFewWarps * 32) {
    const int row = n / wide_, c = n - row * wide_, from = c / kFewColumns * share;
    if (begin + c >= g.n) continue;
    float sum = 0;
    for (int i = 0; i < share; ++i) sum += parts[from + i][row][c % kFewColumns];
    if (a.bias) sum += wide(static_cast<const T*>(a.bias)[begin + c]);
    const int64_t place = row * g.c_row + begin + c;
    if (a.onto) sum += wide(static_cast<const T*>(a.onto)[place]);
    static_cast<T*>(g.c)[place] = narrow<T>(sum);
    if (a.after) static_cast<T*>(a.after)[place] = narrow<T>(activated(a.activation, sum));
  }
}

template <class T>
void few(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  const int share = warps_a_tile(g.n, g.k);
  const int64_t columns = kFewWarps / share * kFewColumns;
  const Grid grid{.blocks = (g.n + columns - 1) / columns, .threads = kFewWarps * 32};
  if (g.m <= 16)
    start(on, grid, few_kernel<T, 1>, a, share);
  else if (g.m <= 32)
    start(on, grid, few_kernel<T, 2>, a, share);
  else
    start(on, grid, few_kernel<T, 4>, a, share);
}

}  // namespace

bool few_product(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  const bool plain = g.a_col == 1 && g.b_row == 1 && !g.b_bf16 && !g.c_f32 && !g.accumulate;
  const auto even = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  if (!plain || g.m < 1 || g.m > kFewRows || g.n < 1 || g.k < 1 || g.k % 8 != 0 ||
      g.a_row % 8 != 0 || g.b_col % 8 != 0 || !even(g.a) || !even(g.b))
    return false;
  if (g.dtype == DType::bf16)
    few<__nv_bfloat16>(on, a);
  else if (g.dtype == DType::f16)
    few<__half>(on, a);
  else
    return false;
  return true;
}

}  // namespace jogak::cuda
