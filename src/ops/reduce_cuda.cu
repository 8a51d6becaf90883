#include "ops/reduce_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A block a piece of the last axis.
template <class T>
__global__ void piece_kernel(ReduceShape r, const T* x, double* partials, int64_t piece,
                             int64_t pieces) {
  const int64_t from = blockIdx.x % pieces * piece, left = r.n - from;
  const T* const at = x + blockIdx.x / pieces * r.n + from;
  double sum = 0;
  for (int64_t j = threadIdx.x; j < (left < piece ? left : piece); j += blockDim.x)
    sum += static_cast<double>(wide(at[j]));
  sum = sum_over_block(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// A thread a column of a piece of rows.
template <class T>
struct PieceColumn {
  ReduceShape r;
  const T* x;
  double* partials;
  int64_t piece, pieces;
  __device__ void operator()(int64_t i) const {
    const int64_t p = i / r.inner, col = i - p * r.inner, from = p % pieces * piece;
    const int64_t left = r.n - from, rows = left < piece ? left : piece;
    const T* const at = x + (p / pieces * r.n + from) * r.inner + col;
    Sum<T> sum = 0;
    for (int64_t j = 0; j < rows; ++j) sum += wide(at[j * r.inner]);
    partials[i] = static_cast<double>(sum);
  }
};

template <class T>
struct AddPieces {
  ReduceShape r;
  const double* partials;
  T* y;
  int64_t pieces;
  __device__ void operator()(int64_t i) const {
    const int64_t row = i / r.inner, col = i - row * r.inner;
    double sum = 0;
    for (int64_t p = 0; p < pieces; ++p) sum += partials[(row * pieces + p) * r.inner + col];
    y[i] = narrow<T>(static_cast<Sum<T>>(sum / r.divisor));
  }
};

template <class T>
struct SpreadAt {
  ReduceShape r;
  const T* dy;
  T* dx;
  __device__ void operator()(int64_t i) const {
    const int64_t col = i % r.inner, row = i / r.inner / r.n;
    dx[i] = narrow<T>(wide(dy[row * r.inner + col]) * static_cast<Sum<T>>(1 / r.divisor));
  }
};

}  // namespace

void run(OnCuda on, const ReduceArgs& a) {
  const ReduceShape& r = a.shape;
  const int64_t piece = reduce_piece(r), pieces = reduce_pieces(r);
  for_float(r.dtype, [&]<class T>() {
    const T* const x = static_cast<const T*>(a.x);
    if (r.inner == 1)
      start(on, {.blocks = r.outer * pieces, .threads = threads_for_row(std::min(piece, r.n))},
            piece_kernel<T>, r, x, a.partials, piece, pieces);
    else
      each(on, r.outer * pieces * r.inner, PieceColumn<T>{r, x, a.partials, piece, pieces});
    each(on, r.outer * r.inner, AddPieces<T>{r, a.partials, static_cast<T*>(a.y), pieces});
  });
}

void run(OnCuda on, const ReduceBackwardArgs& a) {
  const ReduceShape& r = a.shape;
  for_float(r.dtype, [&]<class T>() {
    each(on, r.outer * r.n * r.inner,
         SpreadAt<T>{r, static_cast<const T*>(a.dy), static_cast<T*>(a.dx)});
  });
}

}  // namespace jogak::cuda
