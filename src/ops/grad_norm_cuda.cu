#include "ops/grad_norm_kernel.h"
#include "ops/kernels/tensor_list.cuh"

namespace jogak::cuda {
namespace {

template <class T>
__device__ double squares_of(const void* values, int64_t begin, int64_t end) {
  const T* const x = static_cast<const T*>(values);
  double sum = 0;
#pragma unroll 8
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double v = static_cast<double>(wide(x[i]));
    sum += v * v;
  }
  return sum;
}

__global__ void partial_kernel(TensorTable<NormPiece> table, double* partials) {
  const ListedTensor<NormPiece>& t = table.of(blockIdx.x);
  const NormPiece p = t.piece;
  const int64_t begin = (blockIdx.x - t.first_block) * kNormPiece;
  const int64_t end = begin + kNormPiece < p.count ? begin + kNormPiece : p.count;
  double sum = 0;
  switch (p.dtype) {
    case DType::f64: sum = squares_of<double>(p.values, begin, end); break;
    case DType::bf16: sum = squares_of<__nv_bfloat16>(p.values, begin, end); break;
    case DType::f16: sum = squares_of<__half>(p.values, begin, end); break;
    default: sum = squares_of<float>(p.values, begin, end); break;
  }
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// A block a tensor adds up its pieces.
__global__ void each_kernel_of_pieces(TensorTable<NormPiece> table, const double* partials,
                                      double* each) {
  const ListedTensor<NormPiece>& t = table.rows[blockIdx.x];
  const int64_t pieces = (t.piece.count + kNormPiece - 1) / kNormPiece;
  double sum = 0;
  for (int64_t i = threadIdx.x; i < pieces; i += blockDim.x) sum += partials[t.first_block + i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) each[t.piece.tensor] = sum;
}

__global__ void total_of_all(const double* each, int64_t count, double* total) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) sum += each[i];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) *total = sum;
}

}  // namespace

void run(OnCuda on, const SquaredNormArgs& a) {
  const auto count = static_cast<int64_t>(a.tensors.size());
  check(cudaMemsetAsync(a.each, 0, a.tensors.size() * sizeof(double), device_of(on).stream()),
        "zeros");
  with_table(on, a.tensors, kNormPiece, [&](const TensorTable<NormPiece>& table, int64_t blocks) {
    start(on, {.blocks = blocks, .threads = 1024}, partial_kernel, table, a.partials);
    start(on, {.blocks = table.count}, each_kernel_of_pieces, table, a.partials, a.each);
  });
  start(on, {.blocks = 1}, total_of_all, a.each, count, a.total);
}

}  // namespace jogak::cuda
