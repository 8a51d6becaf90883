#include "ops/adam_kernel.h"
#include "ops/kernels/tensor_list.cuh"

namespace jogak::cuda {
namespace {

constexpr int64_t kBlock = 4096;  // elements of a block

template <class T>
__device__ __forceinline__ void adam(const AdamNumbers& n, const AdamPiece& p, int64_t i) {
  T *const w = static_cast<T*>(p.weight), *const m = static_cast<T*>(p.m),
           *const v = static_cast<T*>(p.v);
  const T weight = w[i];
  const T g = fma(static_cast<T>(p.pull), weight,
                  static_cast<const T*>(p.grad)[i] * static_cast<T>(n.grad_scale));
  const T m1 = fma(static_cast<T>(n.beta1), m[i], static_cast<T>(n.rest1) * g);
  const T v1 = fma(static_cast<T>(n.beta2), v[i], static_cast<T>(n.rest2) * (g * g));
  const T size = fma(sqrt(v1), static_cast<T>(n.root), static_cast<T>(n.eps));
  m[i] = m1;
  v[i] = v1;
  w[i] = weight * static_cast<T>(p.keep) - static_cast<T>(n.rate) * m1 / size;
}

__global__ void adam_kernel(AdamNumbers numbers, TensorTable<AdamPiece> table) {
  const ListedTensor<AdamPiece>& t = table.of(blockIdx.x);
  const AdamPiece p = t.piece;
  const int64_t begin = (blockIdx.x - t.first_block) * kBlock;
  const int64_t end = begin + kBlock < p.count ? begin + kBlock : p.count;
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    if (p.dtype == DType::f64)
      adam<double>(numbers, p, i);
    else
      adam<float>(numbers, p, i);
  }
}

}  // namespace

void run(OnCuda on, const AdamArgs& a) {
  with_table(on, a.tensors, kBlock, [&](const TensorTable<AdamPiece>& table, int64_t blocks) {
    start(on, {.blocks = blocks}, adam_kernel, a.numbers, table);
  });
}

}  // namespace jogak::cuda
