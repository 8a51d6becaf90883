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
// summed is added over the warp, then over the warps in their order. kOf: rows of weights of a
// warp, 2 where C has halves that meet.
template <class T, int kRows, int kOf>
__global__ void thin_kernel(LinearArgs a, int share) {
  using S = Sum<T>;
  __shared__ S parts[kThinWarps][kOf][kRows];
  const Gemm& g = a.product;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * (kThinWarps / share) + warp / share;
  const int64_t columns = g.n / kOf;
  const T* const rows = static_cast<const T*>(g.a);
  S sums[kOf][kRows] = {};
  if (column < columns) {
    const T* const weights = static_cast<const T*>(g.b) + column * g.b_col;
#pragma unroll(8 / kOf)
    for (int64_t i = (warp % share * 32 + lane) * kPack<T>; i < g.k; i += share * 32 * kPack<T>) {
      S w[kOf][kPack<T>];
#pragma unroll
      for (int h = 0; h < kOf; ++h) load_once(weights + h * columns * g.b_col + i, w[h]);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        S x[kPack<T>];
        load_pack(rows + (r < g.m ? r : g.m - 1) * g.a_row + i, x);
#pragma unroll
        for (int h = 0; h < kOf; ++h)
#pragma unroll
          for (int j = 0; j < kPack<T>; ++j) sums[h][r] += x[j] * w[h][j];
      }
    }
  }
#pragma unroll
  for (int h = 0; h < kOf; ++h)
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const S sum = over_warp(sums[h][r], Plus());
      if (lane == 0) parts[warp][h][r] = sum;
    }
  __syncthreads();
  if (warp % share > 0 || lane >= g.m || column >= columns) return;
  S made[kOf] = {};
#pragma unroll
  for (int h = 0; h < kOf; ++h) {
    for (int i = 0; i < share; ++i) made[h] += parts[warp + i][h][lane];
    if (a.bias) made[h] += wide(static_cast<const T*>(a.bias)[h * columns + column]);
  }
  if constexpr (kOf == 2) {  // rounded first, as where C is written
    const S gate = wide(narrow<T>(made[0])), up = wide(narrow<T>(made[1]));
    static_cast<T*>(a.after)[lane * columns + column] = narrow<T>(act<Activation::silu>(gate) * up);
  } else {
    const int64_t place = lane * g.c_row + column;
    if (a.onto) made[0] += wide(static_cast<const T*>(a.onto)[place]);
    static_cast<T*>(g.c)[place] = narrow<T>(made[0]);
    if (a.after) static_cast<T*>(a.after)[place] = narrow<T>(activated(a.activation, made[0]));
  }
}

template <class T, int kOf>
void thin_rows(OnCuda on, const LinearArgs& a, int share) {
  const Gemm& g = a.product;
  const int64_t columns = kThinWarps / share;
  const Grid grid{.blocks = (g.n / kOf + columns - 1) / columns, .threads = kThinWarps * 32};
  if (g.m == 1)
    start(on, grid, thin_kernel<T, 1, kOf>, a, share);
  else if (g.m == 2)
    start(on, grid, thin_kernel<T, 2, kOf>, a, share);
  else if (g.m <= 4)
    start(on, grid, thin_kernel<T, 4, kOf>, a, share);
  else
    start(on, grid, thin_kernel<T, 8, kOf>, a, share);
}

template <class T>
bool thin(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  const auto even = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  if (g.k % kPack<T> != 0 || g.a_row % kPack<T> != 0 || g.b_col % kPack<T> != 0 || !even(g.a) ||
      !even(g.b))
    return false;
  const int share = warps_a_weight(g.n, g.k, kPack<T>);
  if (a.halves)
    thin_rows<T, 2>(on, a, share);
  else
    thin_rows<T, 1>(on, a, share);
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
