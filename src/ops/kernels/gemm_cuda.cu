#include "ops/kernels/gemm_cuda.h"

#include "tensor/cuda.cuh"
#include "tensor/tensor_kernel.h"

namespace jogak::cuda {
namespace {

constexpr int kTile = 16;

// A tile of C a block, one element a thread; sums in order of k.
template <class T, class C>
__global__ void plain_kernel(GemmBatch p) {
  using S = Sum<T>;
  const Gemm& g = p.first;
  __shared__ S a[kTile][kTile + 1], b[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kTile + y;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * kTile + x;
  const T* const from_a = static_cast<const T*>(g.a) + blockIdx.z * p.a_step;
  const T* const from_b = static_cast<const T*>(g.b) + blockIdx.z * p.b_step;
  S sum = 0;
  for (int64_t k = 0; k < g.k; k += kTile) {
    a[y][x] = row < g.m && k + x < g.k ? wide(from_a[row * g.a_row + (k + x) * g.a_col]) : S{0};
    b[y][x] = k + y < g.k && col < g.n ? wide(from_b[(k + y) * g.b_row + col * g.b_col]) : S{0};
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row >= g.m || col >= g.n) return;
  C* const c = static_cast<C*>(g.c) + blockIdx.z * p.c_step + row * g.c_row + col;
  *c = narrow<C>(g.accumulate ? wide(*c) + sum : sum);
}

void batch(OnCuda on, const GemmBatch& p) {
  const Gemm& g = p.first;
  if (g.m == 0 || g.n == 0 || p.count == 0) return;
  if (g.k > 0 && lt_product(on, {g, p.count, p.a_step, p.b_step, p.c_step})) return;
  plain_product(on, p);
}

}  // namespace

void plain_product(OnCuda on, const GemmBatch& p) {
  const Gemm& g = p.first;
  const int64_t down = (g.m + kTile - 1) / kTile;
  const Grid grid{
      .blocks = (g.n + kTile - 1) / kTile, .threads = kTile * kTile, .y = down, .z = p.count};
  for_float(g.dtype, [&]<class T>() {
    if (g.c_f32)
      start(on, grid, plain_kernel<T, Sum<T>>, p);
    else
      start(on, grid, plain_kernel<T, T>, p);
  });
}

// Weights in bf16 under values in f32 are widened first.
void run(OnCuda on, const Gemm& g) {
  if (!g.b_bf16) return batch(on, {.first = g, .count = 1});
  if (g.k == 0 || g.n == 0) {
    Gemm plain = g;
    plain.b_bf16 = false;
    return batch(on, {.first = plain, .count = 1});
  }
  const Workspace wide_b(on, sizeof(float) * static_cast<size_t>(g.k * g.n));
  Gemm plain = g;
  plain.b_bf16 = false, plain.b = wide_b.as<float>();
  const bool rows_lie = g.b_col == 1;  // else columns do: the copy keeps the order
  plain.b_row = rows_lie ? g.n : 1, plain.b_col = rows_lie ? 1 : g.k;
  run(on, CopyArgs{DType::f32, DType::bf16, wide_b.as<float>(), g.b, Shape{g.k, g.n},
                   Strides{plain.b_row, plain.b_col}, Strides{g.b_row, g.b_col}});
  batch(on, {.first = plain, .count = 1});
}

void run(OnCuda on, const GemmBatch& p) {
  if (!p.into_one) return batch(on, p);
  const auto size = static_cast<int64_t>(size_of(p.first.dtype));
  for (int64_t i = 0; i < p.count; ++i) {
    Gemm g = p.first;
    g.a = static_cast<const std::byte*>(g.a) + i * p.a_step * size;
    g.b = static_cast<const std::byte*>(g.b) + i * p.b_step * size;
    g.accumulate = i > 0;
    batch(on, {.first = g, .count = 1});
  }
}

bool gemm_with_bias(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  if (!(a.bias || a.onto) || g.b_bf16 || g.accumulate || g.m == 0 || g.n == 0 || g.k == 0)
    return false;
  return lt_product(on, {.first = g, .bias = a.bias, .onto = a.onto});
}

bool gemm_with_epilogue(OnCuda on, const LinearArgs& a) {
  const Gemm& g = a.product;
  if (!a.after) return gemm_with_bias(on, a);
  if (a.activation != Activation::gelu_tanh || !a.bias || g.b_bf16 || g.accumulate || g.m == 0 ||
      g.n == 0 || g.k == 0)
    return false;
  LtProduct p{.first = g, .bias = a.bias, .gelu = true};
  if (a.after != g.c) p.before_gelu = g.c, p.first.c = a.after;
  return lt_product(on, p);
}

}  // namespace jogak::cuda
