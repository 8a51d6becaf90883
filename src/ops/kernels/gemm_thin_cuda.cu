#include "ops/kernels/activation.cuh"
#include "ops/kernels/columns.cuh"
#include "ops/kernels/gemm_cuda.h"

namespace jogak::cuda {
namespace {

constexpr int kThinWarps = 4;       // of a block
constexpr int64_t kThinRows = 8;    // at most
constexpr int64_t kBusy = 1 << 13;  // warps that keep a GPU's memory busy

// Warps that share a row of weights: more where there are few rows, as long as each has something
// to read. It follows from the weights alone.
int warps_a_weight(int64_t n, int64_t k, int64_t pack) {
  int warps = kThinWarps;
  while (warps > 1 && (n * warps > kBusy || k < warps * 32 * pack)) warps /= 2;
  return warps;
}

// A pack that nobody reads again soon.
template <class T>
__device__ __forceinline__ void load_once(const T* from, Sum<T> (&to)[kPack<T>]) {
  const uint4 bytes = __ldcs(reinterpret_cast<const uint4*>(from));
  T pack[kPack<T>];
  memcpy(pack, &bytes, sizeof(bytes));
#pragma unroll
  for (int j = 0; j < kPack<T>; ++j) to[j] = wide(pack[j]);
}

// Lanes take packs of a row of weights in turn, and of the kRows rows of A beside it; what they
// summed is added over the warp, then over the warps in their order.
template <class T, int kRows>
__global__ void thin_kernel(LinearArgs a, int share) {
  using S = Sum<T>;
  __shared__ S parts[kThinWarps][kRows];
  const Gemm& g = a.product;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * (kThinWarps / share) + warp / share;
  const T* const rows = static_cast<const T*>(g.a);
  S sums[kRows] = {};
  if (column < g.n) {
    const T* const weights = static_cast<const T*>(g.b) + column * g.b_col;
#pragma unroll 8
    for (int64_t i = (warp % share * 32 + lane) * kPack<T>; i < g.k; i += share * 32 * kPack<T>) {
      S w[kPack<T>];
      load_once(weights + i, w);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        S x[kPack<T>];
        load_pack(rows + (r < g.m ? r : g.m - 1) * g.a_row + i, x);
#pragma unroll
        for (int j = 0; j < kPack<T>; ++j) sums[r] += x[j] * w[j];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const S sum = over_warp(sums[r], Plus());
    if (lane == 0) parts[warp][r] = sum;
  }
  __syncthreads();
  if (warp % share > 0 || lane >= g.m || column >= g.n) return;
  S sum = 0;
  for (int i = 0; i < share; ++i) sum += parts[warp + i][lane];
  if (a.bias) sum += wide(static_cast<const T*>(a.bias)[column]);
  const int64_t place = lane * g.c_row + column;
  if (a.onto) sum += wide(static_cast<const T*>(a.onto)[place]);
  static_cast<T*>(g.c)[place] = narrow<T>(sum);
  if (a.after) static_cast<T*>(a.after)[place] = narrow<T>(activated(a.activation, sum));
}

template <class T>
bool thin(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  const auto even = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  if (g.k % kPack<T> != 0 || g.a_row % kPack<T> != 0 || g.b_col % kPack<T> != 0 || !even(g.a) ||
      !even(g.b))
    return false;
  const int share = warps_a_weight(g.n, g.k, kPack<T>);
  const int64_t columns = kThinWarps / share;
  const Grid grid{.blocks = (g.n + columns - 1) / columns, .threads = kThinWarps * 32};
  if (g.m == 1)
    start(on, grid, thin_kernel<T, 1>, a, share);
  else if (g.m == 2)
    start(on, grid, thin_kernel<T, 2>, a, share);
  else if (g.m <= 4)
    start(on, grid, thin_kernel<T, 4>, a, share);
  else
    start(on, grid, thin_kernel<T, 8>, a, share);
  return true;
}

}  // namespace

bool thin_product(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  const bool plain = g.a_col == 1 && g.b_row == 1 && !g.b_bf16 && !g.c_f32 && !g.accumulate;
  if (!plain || g.m < 1 || g.m > kThinRows || g.n < 1 || g.k < 1 || g.dtype == DType::f64)
    return false;
  bool done = false;
  for_float(g.dtype, [&]<class T>() { done = thin<T>(on, a); });
  return done;
}

}  // namespace jogak::cuda
