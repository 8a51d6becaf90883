#include "ops/pick_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

template <class S>
struct Candidate {
  S value;
  int64_t id;  // -1: none
};

// a stands before b: NaN first, then the larger, of equals the lower id.
template <class S>
__device__ __forceinline__ bool before(const Candidate<S>& a, const Candidate<S>& b) {
  if (a.id < 0 || b.id < 0) return a.id >= 0 && b.id < 0;
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  return a_nan || a.value == b.value ? a.id < b.id : a.value > b.value;
}

// The first in that order of the block's candidates; every thread gets it.
template <class S>
__device__ Candidate<S> first_of_block(Candidate<S> mine) {
  __shared__ S values[32];
  __shared__ int64_t ids[32];
  const auto first_of_warp = [](Candidate<S> c) {
    for (int apart = 16; apart > 0; apart /= 2) {
      const Candidate<S> other{__shfl_xor_sync(0xFFFFFFFFu, c.value, apart),
                               __shfl_xor_sync(0xFFFFFFFFu, c.id, apart)};
      if (before(other, c)) c = other;
    }
    return c;
  };
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  mine = first_of_warp(mine);
  if (lane == 0) values[warp] = mine.value, ids[warp] = mine.id;
  __syncthreads();
  const bool there = lane < static_cast<int>(blockDim.x) / 32;
  mine = {there ? values[lane] : S{0}, there ? ids[lane] : -1};
  mine = first_of_warp(mine);
  __syncthreads();
  return mine;
}

// One place of the result after the other: the first of those that stand behind the last one.
template <class T>
__global__ void top_kernel(const T* all, T* values, int64_t* ids, int64_t cols, int64_t k) {
  using S = Sum<T>;
  const T* const x = all + blockIdx.x * cols;
  Candidate<S> last{S{0}, -1};
  for (int64_t i = 0; i < k; ++i) {
    Candidate<S> best{S{0}, -1};
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
      const Candidate<S> here{wide(x[j]), j};
      if (i > 0 && !before(last, here)) continue;
      if (before(here, best)) best = here;
    }
    last = first_of_block(best);
    if (threadIdx.x == 0) {
      ids[blockIdx.x * k + i] = last.id;
      if (values) values[blockIdx.x * k + i] = x[last.id];
    }
  }
}

// The first of each of the parts that a row is cut into. Blocks: rows, parts.
template <class T>
__global__ void best_parts_kernel(const T* all, Sum<T>* values, int64_t* ids, int64_t cols,
                                  int64_t part) {
  const T* const x = all + blockIdx.x * cols;
  const int64_t begin = blockIdx.y * part, end = begin + part < cols ? begin + part : cols;
  Candidate<Sum<T>> best{0, -1};
  for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) {
    const Candidate<Sum<T>> here{wide(x[j]), j};
    if (before(here, best)) best = here;
  }
  best = first_of_block(best);
  if (threadIdx.x > 0) return;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * gridDim.y + blockIdx.y;
  values[at] = best.value;
  ids[at] = best.id;
}

// A warp a row over the first of its parts, of which there are at most 32.
template <class S>
__global__ void best_kernel(const S* values, const int64_t* ids, int64_t* out, int64_t parts,
                            bool finite) {
  Candidate<S> best{0, -1};
  if (const int64_t at = blockIdx.x * parts + threadIdx.x; threadIdx.x < parts)
    best = {values[at], ids[at]};
  best = first_of_block(best);
  if (threadIdx.x == 0) out[blockIdx.x] = finite && !isfinite(best.value) ? -1 : best.id;
}

template <class T>
struct BackAt {
  const T* dvalues;
  const int64_t* ids;
  T* dx;
  int64_t cols, k;
  __device__ void operator()(int64_t i) const { dx[i / k * cols + ids[i]] = dvalues[i]; }
};

}  // namespace

void run(OnCuda on, const ArgmaxArgs& a) {
  constexpr int64_t kLeast = 2048, kMost = 32;  // elements of a part, parts of a row
  const int64_t part = std::max(kLeast, (a.cols + kMost - 1) / kMost);
  const int64_t parts = (a.cols + part - 1) / part;
  for_float(a.dtype, [&]<class T>() {
    using S = Sum<T>;
    const auto count = static_cast<size_t>(a.rows * parts);
    const Workspace values(on, count * sizeof(S)), ids(on, count * sizeof(int64_t));
    start(on, {.blocks = a.rows, .y = parts}, best_parts_kernel<T>, static_cast<const T*>(a.x),
          values.as<S>(), ids.as<int64_t>(), a.cols, part);
    start(on, {.blocks = a.rows, .threads = 32}, best_kernel<S>, values.as<S>(), ids.as<int64_t>(),
          a.ids, parts, a.finite);
  });
}

void run(OnCuda on, const TopKArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, top_kernel<T>,
          static_cast<const T*>(a.x), static_cast<T*>(a.values), a.ids, a.cols, a.k);
  });
}

void run(OnCuda on, const TopKBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    check(cudaMemsetAsync(a.dx, 0, static_cast<size_t>(a.rows * a.cols) * sizeof(T),
                          device_of(on).stream()),
          "zeros");
    each(on, a.rows * a.k,
         BackAt<T>{static_cast<const T*>(a.dvalues), a.ids, static_cast<T*>(a.dx), a.cols, a.k});
  });
}

}  // namespace jogak::cuda
