#include "ops/kernels/gemm_cpu.h"

#include <chrono>
#include <cstring>

#include "autograd/profile.h"
#include "base/parallel.h"
#include "ops/kernels/workspace.h"
#include "tensor/packed.h"
#include "tensor/strided.h"
#include "tensor/tiles.h"

namespace jogak::cpu {
namespace {

template <class T>
void widen(const void* from, int64_t row, int64_t col, int64_t rows, int64_t cols, float* to) {
  copy_strided(to, row_major({rows, cols}), static_cast<const T*>(from), Strides{row, col},
               Shape{rows, cols});
}

// Operands in f16 are widened, multiplied with f32 sums, and rounded once at the end.
void gemm_half(const Gemm& g) {
  using T = Float16;
  const Workspace a(sizeof(float) * static_cast<size_t>(g.m * g.k));
  const Workspace b(sizeof(float) * static_cast<size_t>(g.k * g.n));
  const Workspace c(sizeof(float) * static_cast<size_t>(g.m * g.n));
  widen<T>(g.a, g.a_row, g.a_col, g.m, g.k, a.as<float>());
  widen<T>(g.b, g.b_row, g.b_col, g.k, g.n, b.as<float>());
  if (g.accumulate) widen<T>(g.c, g.c_row, 1, g.m, g.n, c.as<float>());
  Gemm wide = g;
  wide.dtype = DType::f32;
  wide.a = a.as<float>(), wide.a_row = g.k, wide.a_col = 1;
  wide.b = b.as<float>(), wide.b_row = g.n, wide.b_col = 1;
  wide.c = c.as<float>(), wide.c_row = g.n;
  gemm_blocked(wide);
  copy_strided(static_cast<T*>(g.c), Strides{g.c_row, 1}, c.as<float>(), row_major({g.m, g.n}),
               Shape{g.m, g.n});
}

// A backward pass reads weights in bf16 across their rows: widened, it is a product like others.
void gemm_weights(const Gemm& g) {
  if (g.a_col == 1 && g.b_row == 1 && g.b_col == g.k && !g.accumulate) return gemm_bf16(g);
  const Workspace b(sizeof(float) * static_cast<size_t>(g.k * g.n));
  widen<BFloat16>(g.b, g.b_row, g.b_col, g.k, g.n, b.as<float>());
  Gemm wide = g;
  wide.b_bf16 = false, wide.b = b.as<float>(), wide.b_row = g.n, wide.b_col = 1;
  gemm_blocked(wide);
}

// The same of weights that are laid out for products and read across their rows: floats again.
void gemm_across(const Gemm& g) {
  const PackedLayout layout = packed_layout(g.b);
  const Workspace b(sizeof(float) * static_cast<size_t>(layout.rows * layout.cols));
  parallel_for(layout.rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      unpack_row(g.b, row, b.as<float>() + row * layout.cols);
  });
  Gemm wide = g;
  wide.b_packed = false, wide.b = b.as<float>();
  gemm_blocked(wide);
}

// A kernel, and whether it did what follows.
using Product = bool (*)(const Gemm& g, const PartDone* done);

template <void (*kProduct)(const Gemm&)>
bool alone(const Gemm& g, const PartDone*) {
  kProduct(g);
  return false;
}

Product laid_out_product(const Gemm& g) {
  if (g.a_col != 1 || g.b_row != 1 || g.accumulate) return alone<gemm_across>;
  if (!holds_floats(g.b)) return gemm_packed;
  constexpr int64_t kFew = 96;  // rows up to which packing them costs more than it gives
  if (packed_layout(g.b).bits == 16) return alone<gemm_bf16>;
  return g.m <= kFew ? alone<gemm_tiled> : gemm_blocked;
}

Product f32_product(const Gemm& g) {
  constexpr int64_t kThin = 8;  // rows up to which reading B costs more than multiplying
  const bool rows_lie = g.a_col == 1 && g.b_row == 1;
  if (rows_lie && g.m <= kThin) return alone<gemm_thin>;
  return rows_lie && g.m <= most_several() ? alone<gemm_several> : gemm_blocked;
}

void clear(const Gemm& g) {  // an empty sum is zero
  if (g.accumulate) return;
  const size_t size = size_of(g.c_f32 ? DType::f32 : g.dtype);
  for (int64_t i = 0; i < g.m; ++i)
    std::memset(static_cast<std::byte*>(g.c) + static_cast<size_t>(i * g.c_row) * size, 0,
                static_cast<size_t>(g.n) * size);
}

}  // namespace

static Product product_for(const Gemm& g) {
  if (g.m == 0 || g.n == 0) return [](const Gemm&, const PartDone*) { return false; };
  if (g.k == 0) return alone<clear>;
  if (g.b_bf16) return alone<gemm_weights>;
  if (g.b_packed) return laid_out_product(g);
  switch (g.dtype) {
    case DType::f32: return f32_product(g);
    case DType::f64: return gemm_blocked;
    case DType::bf16: return alone<gemm_pairs>;
    case DType::f16: return alone<gemm_half>;
    default: fail<ShapeError>("gemm: found dtype ", g.dtype, ", wanted a float type");
  }
}

bool adds_bias(const Gemm& g) { return product_for(g) == gemm_blocked; }

bool gemm(const Gemm& g, const PartDone* done) {
  OpProfile* const profile = active_profile();
  const Product multiply = product_for(g);
  if (!profile) return multiply(g, done);
  const auto start = std::chrono::steady_clock::now();
  const bool finished = multiply(g, done);
  profile->product(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return finished;
}

void gemm(const Gemm& g) { gemm(g, nullptr); }

}  // namespace jogak::cpu

namespace jogak {

void run(OnCpu, const Gemm& g) { cpu::gemm(g); }

void run(OnCpu, const GemmBatch& batch) {
  const Gemm& first = batch.first;
  const auto size = static_cast<int64_t>(size_of(first.dtype));
  const auto product = [&](int64_t i) {
    Gemm g = first;
    g.a = static_cast<const std::byte*>(first.a) + i * batch.a_step * size;
    g.b = static_cast<const std::byte*>(first.b) + i * batch.b_step * size;
    g.c = static_cast<std::byte*>(first.c) + i * batch.c_step * size;
    g.accumulate = batch.into_one && i > 0;
    return g;
  };
  const bool plain = first.dtype == DType::f32 || first.dtype == DType::f64;
  const bool empty = first.m == 0 || first.n == 0 || first.k == 0;
  if (plain && !empty && batch.count > 1 && !batch.into_one)  // whole products over threads
    return parallel_for(batch.count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) cpu::gemm_blocked(product(i));
    });
  for (int64_t i = 0; i < batch.count; ++i) cpu::gemm(product(i));
}

}  // namespace jogak
