// What kernels in .cu files share: element types, launching, loops over elements, sums over warps
// and blocks. Sums have an order fixed by sizes alone; nothing is added by atomics.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "tensor/cuda_check.cuh"
#include "tensor/cuda_device.h"
#include "tensor/dtype.h"

namespace jogak::cuda {

// --- element types ---
template <class T>
struct ElementOf {
  using type = T;
};
template <>
struct ElementOf<BFloat16> {
  using type = __nv_bfloat16;
};
template <>
struct ElementOf<Float16> {
  using type = __half;
};

// Calls body.template operator()<T>() for the type kernels know by dtype.
template <class Body>
void for_float(DType dtype, Body&& body) {
  for_float_type(dtype,
                 [&]<class T>() { body.template operator()<typename ElementOf<T>::type>(); });
}

template <class T>
struct SumTypeOf {
  using type = float;
};
template <>
struct SumTypeOf<double> {
  using type = double;
};
template <class T>
using Sum = typename SumTypeOf<T>::type;

template <class T>
__device__ __forceinline__ Sum<T> wide(T x) {
  return x;
}
template <>
__device__ __forceinline__ float wide(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
template <>
__device__ __forceinline__ float wide(__half x) {
  return __half2float(x);
}

template <class T>
__device__ __forceinline__ T narrow(Sum<T> x) {
  return x;
}
template <>
__device__ __forceinline__ __nv_bfloat16 narrow<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}
template <>
__device__ __forceinline__ __half narrow<__half>(float x) {
  return __float2half_rn(x);
}

// A product rounded before it meets a sum: the compiler would fuse the two.
__device__ __forceinline__ float rounded_product(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double rounded_product(double a, double b) { return __dmul_rn(a, b); }

// --- launching ---
struct Grid {
  int64_t blocks = 0;
  int threads = 256;
  size_t shared = 0;  // bytes of dynamic shared memory
  int64_t y = 1, z = 1;
};

template <class... Wanted, class... Given>
void start(OnCuda on, const Grid& grid, void (*kernel)(Wanted...), const Given&... given) {
  if (grid.blocks <= 0 || grid.y <= 0 || grid.z <= 0) return;
  constexpr size_t kPlain = 48 << 10;  // more has to be asked for
  if (grid.shared > kPlain)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(grid.shared)),
          "shared memory");
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.y),
                        static_cast<unsigned>(grid.z));
  config.blockDim = dim3(static_cast<unsigned>(grid.threads));
  config.dynamicSmemBytes = grid.shared;
  config.stream = device_of(on).stream();
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Wanted>(given)...), "launch");
}

template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
}

// --- loops over elements ---
__device__ __forceinline__ int64_t first_index() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ int64_t index_step() {
  return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

inline int64_t blocks_for(OnCuda on, int64_t items, int threads = 256) {
  const int64_t most = int64_t{16} * device_of(on).multiprocessors();
  return std::min((items + threads - 1) / threads, most);
}

template <class F>
__global__ void each_kernel(int64_t count, F f) {
  for (int64_t i = first_index(); i < count; i += index_step()) f(i);
}

// f(i) for 0 <= i < count; F is a struct with a __device__ operator().
template <class F>
void each(OnCuda on, int64_t count, const F& f) {
  start(on, {.blocks = blocks_for(on, count)}, each_kernel<F>, count, f);
}

template <class T, int kIn, int kOut>
struct Arrays {
  const T* in[kIn];
  T* out[kOut];
};

template <class T, int kWide>
struct alignas(sizeof(T) * kWide) Pack {
  T at[kWide];
};

// Packs first, then what is left of the last.
template <int kWide, class T, int kIn, int kOut, class F>
__global__ void map_kernel(Arrays<T, kIn, kOut> a, int64_t count, F f) {
  using P = Pack<T, kWide>;
  const int64_t packs = count / kWide;
  for (int64_t g = first_index(); g < packs; g += index_step()) {
    P in[kIn], out[kOut];
#pragma unroll
    for (int k = 0; k < kIn; ++k) in[k] = reinterpret_cast<const P*>(a.in[k])[g];
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
      Sum<T> x[kIn], y[kOut];
#pragma unroll
      for (int k = 0; k < kIn; ++k) x[k] = wide(in[k].at[j]);
      f(g * kWide + j, x, y);
#pragma unroll
      for (int k = 0; k < kOut; ++k) out[k].at[j] = narrow<T>(y[k]);
    }
#pragma unroll
    for (int k = 0; k < kOut; ++k) reinterpret_cast<P*>(a.out[k])[g] = out[k];
  }
  if (const int64_t i = packs * kWide + first_index();
      i < count) {  // fewer than a block has threads
    Sum<T> x[kIn], y[kOut];
    for (int k = 0; k < kIn; ++k) x[k] = wide(a.in[k][i]);
    f(i, x, y);
    for (int k = 0; k < kOut; ++k) a.out[k][i] = narrow<T>(y[k]);
  }
}

// f(i, x, y): elements y of the outputs from elements x of the inputs, 16 bytes at a time where all
// of them lie so. Outputs may be inputs.
template <class T, int kIn, int kOut, class F>
void map(OnCuda on, const Arrays<T, kIn, kOut>& a, int64_t count, const F& f) {
  constexpr int kWide = 16 / sizeof(T);
  bool even = true;
  for (const T* p : a.in) even = even && reinterpret_cast<uintptr_t>(p) % 16 == 0;
  for (const T* p : a.out) even = even && reinterpret_cast<uintptr_t>(p) % 16 == 0;
  if (even)
    start(on, {.blocks = blocks_for(on, (count + kWide - 1) / kWide)},
          map_kernel<kWide, T, kIn, kOut, F>, a, count, f);
  else
    start(on, {.blocks = blocks_for(on, count)}, map_kernel<1, T, kIn, kOut, F>, a, count, f);
}

// --- sums and maxima over a warp and a block; every thread gets the result ---
struct Plus {
  template <class S>
  __device__ S operator()(S a, S b) const {
    return a + b;
  }
};
struct Larger {  // NaN stays
  template <class S>
  __device__ S operator()(S a, S b) const {
    return a > b || a != a ? a : b;
  }
};

template <class S, class Op>
__device__ __forceinline__ S over_warp(S x, Op op) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) x = op(x, __shfl_xor_sync(0xFFFFFFFFu, x, apart));
  return x;
}

// The block has whole warps. `none` changes nothing: 0 of a sum.
template <class S, class Op>
__device__ S over_block(S x, Op op, S none) {
  __shared__ S parts[32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  x = over_warp(x, op);
  if (lane == 0) parts[warp] = x;
  __syncthreads();
  x = lane < static_cast<int>(blockDim.x) / 32 ? parts[lane] : none;
  x = over_warp(x, op);
  __syncthreads();  // before parts are used again
  return x;
}

template <class S>
__device__ __forceinline__ S sum_over_block(S x) {
  return over_block(x, Plus(), S{0});
}

template <class S>
__device__ __forceinline__ S lowest() {
  return -static_cast<S>(INFINITY);
}

// Threads for a row of so many elements: whole warps, by size alone.
inline int threads_for_row(int64_t cols) {
  return cols >= 4096 ? 1024 : cols >= 1024 ? 256 : cols >= 256 ? 128 : 32;
}

}  // namespace jogak::cuda
