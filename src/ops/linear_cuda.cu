#include "ops/kernels/activation.cuh"
#include "ops/kernels/columns.cuh"
#include "ops/kernels/gemm_cuda.h"
#include "ops/kernels/gemm_gelu.h"
#include "ops/linear_kernel.h"
#include "ops/swiglu_kernel.h"

namespace jogak::cuda {
namespace {

// z += bias, z += onto, after = act(z); each may be left out.
template <Activation kKind, class T>
struct BiasActAt {
  T *z, *after;
  const T *bias, *onto;
  int64_t cols;
  __device__ void operator()(int64_t i) const {
    T v = z[i];
    if (bias) z[i] = v = narrow<T>(wide(v) + wide(bias[i % cols]));
    if (onto) z[i] = v = narrow<T>(wide(v) + wide(onto[i]));
    if (after) after[i] = narrow<T>(act<kKind>(wide(v)));
  }
};

// The same without `onto`, packs at a time.
template <Activation kKind, class T>
struct BiasActPacks {
  T *z, *after;
  const T* bias;
  uint32_t row;  // packs of a row
  __device__ void operator()(int64_t i) const {
    const int64_t at = i * kPack<T>;
    Sum<T> v[kPack<T>];
    load_pack(z + at, v);
    if (bias) {
      Sum<T> more[kPack<T>];
      load_pack(bias + static_cast<uint32_t>(i) % row * kPack<T>, more);
#pragma unroll
      for (int j = 0; j < kPack<T>; ++j) v[j] = wide(narrow<T>(v[j] + more[j]));
      if (z != after) store_pack(z + at, v);
    }
    if (!after) return;
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) v[j] = act<kKind, Sum<T>, sizeof(T) == 2>(v[j]);
    store_pack(after + at, v);
  }
};

template <Activation kKind>
struct SlopeTimes {  // z and dy
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[2], S (&y)[1]) const {
    y[0] = x[1] * slope<kKind>(x[0]);
  }
};

// Of packs: dz = dy * slope(z), kept, and its share of the bias; without z, dz is there already.
template <Activation kKind, class T>
struct SlopeShare {
  const T *z, *dy;
  T* dz;
  int64_t cols;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[1][kPack<T>]) const {
    const int64_t at = row * cols + col;
    load_pack(dy + at, share[0]);
    if constexpr (kKind != Activation::none) {
      Sum<T> before[kPack<T>];
      load_pack(z + at, before);
#pragma unroll
      for (int j = 0; j < kPack<T>; ++j)
        share[0][j] =
            wide(narrow<T>(share[0][j] * slope<kKind, Sum<T>, sizeof(T) == 2>(before[j])));
      store_pack(dz + at, share[0]);
    }
  }
};

template <class T>
struct RowShare {
  const T* dz;
  int64_t cols;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[1]) const {
    share[0] = wide(dz[row * cols + col]);
  }
};

}  // namespace

void run(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  if (a.halves) {
    if (thin_product(on, a)) return;
    LinearArgs both = a;
    both.after = nullptr, both.halves = false;
    run(on, both);
    return run(on, SwigluPackedArgs{g.dtype, g.m, g.n / 2, g.c, a.after});
  }
  if (thin_product(on, a) || few_product(on, a) || gemm_with_epilogue(on, a)) return;
  if constexpr (kWithCutlass)
    if (gelu_product(on, a)) return;
  const void *bias = a.bias, *onto = a.onto;
  if (gemm_with_bias(on, a))
    bias = onto = nullptr;
  else
    run(on, g);
  if (!bias && !onto && !a.after) return;
  for_float(g.dtype, [&]<class T>() {
    for_activation(a.activation, [&]<Activation kKind>() {
      if (!onto && lies_in_packs<T>(g.n, {g.c, a.after, bias}) && g.m * g.n < INT32_MAX)
        return each(on, g.m * g.n / kPack<T>,
                    BiasActPacks<kKind, T>{static_cast<T*>(g.c), static_cast<T*>(a.after),
                                           static_cast<const T*>(bias),
                                           static_cast<uint32_t>(g.n / kPack<T>)});
      each(on, g.m * g.n,
           BiasActAt<kKind, T>{static_cast<T*>(g.c), static_cast<T*>(a.after),
                               static_cast<const T*>(bias), static_cast<const T*>(onto), g.n});
    });
  });
}

void run(OnCuda on, const LinearBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    const T* dz = static_cast<const T*>(a.dy);
    T* const sums[] = {static_cast<T*>(a.dbias)};
    if (a.dbias && a.rows > 0 && lies_in_packs<T>(a.cols, {a.z, a.dy, a.dz}))
      return for_activation(a.activation, [&]<Activation kKind>() {
        sum_packs<1>(
            on, a.rows, a.cols,
            SlopeShare<kKind, T>{static_cast<const T*>(a.z), dz, static_cast<T*>(a.dz), a.cols},
            sums);
      });
    if (a.dz) {
      for_activation(a.activation, [&]<Activation kKind>() {
        map(on, Arrays<T, 2, 1>{{static_cast<const T*>(a.z), dz}, {static_cast<T*>(a.dz)}},
            a.rows * a.cols, SlopeTimes<kKind>{});
      });
      dz = static_cast<const T*>(a.dz);
    }
    if (!a.dbias) return;
    const RowChunks chunks{a.rows, a.cols, std::max<int64_t>(64, a.rows / 128 + 1)};
    const Workspace partials(on, sizeof(Sum<T>) * static_cast<size_t>(chunks.count() * a.cols + 1));
    sum_rows<1>(on, chunks, partials.as<Sum<T>>(), RowShare<T>{dz, a.cols});
    add_chunks<1>(on, chunks, partials.as<Sum<T>>(), sums);
  });
}

}  // namespace jogak::cuda
