// Floats laid out for products (tensor/tiles.h): the same numbers, and the same bits of products.
#include "tensor/tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "base/random.h"
#include "ops/embedding.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "tensor/packed.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

Tensor transposed(const Tensor& x) {
  return x.view({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
}

Tensor rows_of(const Tensor& x, int64_t first, int64_t rows) {
  return x.view({rows, x.dim(1)}, x.strides(), x.offset() + first * x.strides()[0]);
}

// c = a W^T, with W as it lies or in tiles; a row of NaN behind it must stay.
Tensor product(const Tensor& a, const Tensor& w, int64_t n) {
  const int64_t m = a.dim(0), k = a.dim(1);
  const Tensor c = full({m + 1, n}, NAN);
  Gemm g{.m = m, .n = n, .k = k, .a = a.raw(), .a_row = k, .b = w.raw(), .b_row = 1, .b_col = k};
  g.c = c.raw(), g.c_row = n;
  g.b_packed = w.dtype() == DType::packed, g.b_bf16 = w.dtype() == DType::bf16;
  cpu::gemm(g);
  for (int64_t j = 0; j < n; ++j) EXPECT_TRUE(std::isnan(c.data<float>()[m * n + j]));
  return dense(rows_of(c, 0, m));
}

class Tiles : public testing::TestWithParam<DType> {};

TEST_P(Tiles, ProductsHaveTheBitsOfMatricesAsTheyLie) {
  const int before = thread_count();
  for (const int64_t k : {1, 3, 16, 31, 33, 100, 512, 513, 1030})
    for (const int64_t n : {1, 3, 15, 16, 17, 47, 48, 49, 70, 150}) {
      const Tensor w = randn({n, k}, Rng(1, static_cast<uint64_t>(n * 10000 + k)), GetParam());
      const Tensor tiles = tiled({w}), a = randn({40, k}, Rng(2));
      for (const int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40}) {
        SCOPED_TRACE(text_of(m, " x ", n, " x ", k, " isa ", isa_name()));
        const Tensor rows = dense(rows_of(a, 0, m));
        set_thread_count(1);
        const Tensor wanted = product(rows, w, n);
        for (const int threads : {1, 3}) {
          set_thread_count(threads);
          ASSERT_TRUE(same_bits(product(rows, tiles, n), wanted)) << threads << " threads";
        }
      }
    }
  set_thread_count(before);
}

TEST_P(Tiles, LargeProductsToo) {
  const int64_t sizes[][3] = {{300, 500, 700},  {520, 49, 2050}, {1, 3000, 1100},
                              {9, 1000, 600},   {64, 150, 1100}, {65, 300, 577},
                              {130, 530, 2100}, {97, 48, 513},   {96, 100, 1030}};
  for (const auto& [m, n, k] : sizes) {
    const Tensor w = randn({n, k}, Rng(3), GetParam()), a = randn({m, k}, Rng(4));
    EXPECT_TRUE(same_bits(product(a, tiled({w}), n), product(a, w, n))) << m << " x " << n;
  }
}

TEST_P(Tiles, HoldTheSameNumbersWhateverTheyAreMadeOf) {
  for (const int64_t rows : {1, 4, 16, 47, 48, 100})
    for (const int64_t cols : {1, 32, 33, 70}) {
      const Tensor w = randn({rows, cols}, Rng(5), GetParam()), wide = cast(w, DType::f32);
      const Tensor across = transposed(dense(transposed(w)));  // as files that have [in, out]
      ASSERT_TRUE(same_bits(unpacked(tiled({w})), wide)) << rows << " x " << cols;
      ASSERT_TRUE(same_bits(unpacked(tiled({across})), wide)) << rows << " x " << cols;
      const int64_t first = rows / 3;
      const Tensor joined = tiled({rows_of(across, 0, first), rows_of(w, first, rows - first)});
      ASSERT_TRUE(same_bits(unpacked(joined), wide)) << rows << " x " << cols;
      EXPECT_EQ(joined.storage()->bytes(), tiled({w}).storage()->bytes());
    }
}

TEST_P(Tiles, OfOneLayerGiveTheSameAnswersAndGradients) {
  const Tensor w = randn({70, 33}, Rng(6), GetParam()), tiles = tiled({w});
  const Tensor x = leaf(randn({5, 33}, Rng(7))), again = leaf(clone(x.detach()));
  const Tensor bias = randn({70}, Rng(8));
  const Tensor y = linear(x, w, bias, Activation::gelu),
               z = linear(again, tiles, bias, Activation::gelu);
  EXPECT_TRUE(same_bits(y.detach(), z.detach()));
  const Tensor ids = from_values<int64_t>({69, 0, 48, 3}, {4});
  EXPECT_TRUE(same_bits(embedding(tiles, ids), cast(embedding(w, ids), DType::f32)));
  const Tensor targets = from_values<int64_t>({1, 69, 3, 0, 48}, {5});
  const Tensor loss = linear_cross_entropy(x, w, targets, {});
  const Tensor same = linear_cross_entropy(again, tiles, targets, {});
  EXPECT_TRUE(same_bits(loss.detach(), same.detach()));
  EXPECT_TRUE(same_bits(gradients(loss, {{x}})[0], gradients(same, {{again}})[0]));
}

// What fills up the tiles is zero, so that all that lies there can be looked through at once.
TEST_P(Tiles, ShowTheirNumbersAndNothingElse) {
  const Tensor w = full({50, 35}, 2, GetParam());
  const Tensor all = cast(tile_values(tiled({w})), DType::f32);
  double sum = 0;
  for (const float x : to_host<float>(all)) sum += static_cast<double>(x);
  EXPECT_EQ(sum, 2.0 * 50 * 35);
}

INSTANTIATE_TEST_SUITE_P(Types, Tiles, testing::Values(DType::f32, DType::bf16),
                         [](const auto& one) { return name_of(one.param); });

TEST(TilesErrors, PartsThatDoNotFitAreNamed) {
  expect_error<ShapeError>([] { tiled({}); }, "tiles: found no parts");
  expect_error<ShapeError>(
      [] {
        tiled({zeros({2, 3}), zeros({2, 4})});
      },
      "tiles: found a part of f32 [2, 4], wanted f32 or bf16 [rows, cols] "
      "like [2, 3]");
  expect_error<ShapeError>(
      [] {
        tiled({zeros({2, 3}, DType::f64)});
      },
      "tiles: found a part of f64 [2, 3], wanted f32 or bf16 [rows, cols] "
      "like [2, 3]");
}

}  // namespace
}  // namespace jogak
