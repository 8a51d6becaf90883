#include "ops/kernels/tensor_list.cuh"
#include "ops/sgd_kernel.h"

namespace jogak::cuda {
namespace {

constexpr int64_t kBlock = 4096;  // elements of a block

template <class T>
__device__ __forceinline__ void sgd(double momentum, const UpdateNumbers& n, const SgdPiece& p,
                                    int64_t i) {
  T *const w = static_cast<T*>(p.weight), *const memory = static_cast<T*>(p.momentum);
  const T weight = w[i];
  T g = fma(static_cast<T>(p.decay), weight,
            static_cast<const T*>(p.grad)[i] * static_cast<T>(n.scale));
  if (memory) memory[i] = g = fma(static_cast<T>(momentum), memory[i], g);
  w[i] = weight - static_cast<T>(n.rate) * g;
}

__global__ void sgd_kernel(double momentum, UpdateNumbers numbers, const UpdateNumbers* there,
                           TensorTable<SgdPiece> table) {
  if (there) numbers = *there;
  if (numbers.allowed == 0) return;
  const ListedTensor<SgdPiece>& t = table.of(blockIdx.x);
  const SgdPiece p = t.piece;
  const int64_t begin = (blockIdx.x - t.first_block) * kBlock;
  const int64_t end = begin + kBlock < p.count ? begin + kBlock : p.count;
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    if (p.dtype == DType::f64)
      sgd<double>(momentum, numbers, p, i);
    else
      sgd<float>(momentum, numbers, p, i);
  }
}

}  // namespace

void run(OnCuda on, const SgdArgs& a) {
  with_table(on, a.tensors, kBlock, [&](const TensorTable<SgdPiece>& table, int64_t blocks) {
    start(on, {.blocks = blocks}, sgd_kernel, a.momentum, a.numbers, a.there, table);
  });
}

}  // namespace jogak::cuda
