// Weights in bf16 under values in f32: the order of sums that gemm_cpu.h states, whatever else.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa.h"
#include "tensor/tensor.h"

namespace jogak::cpu {
namespace {

struct Operands {
  int64_t m, n, k;
  std::vector<float> a, wide;
  std::vector<BFloat16> b;
  Operands(int64_t rows, int64_t cols, int64_t depth) : m(rows), n(cols), k(depth) {
    Rng rng(7, static_cast<uint64_t>(rows * 1000 + cols * 10 + depth));
    for (int64_t i = 0; i < m * k; ++i) a.push_back(static_cast<float>(rng.normal()));
    for (int64_t i = 0; i < n * k; ++i) {
      b.emplace_back(static_cast<float>(rng.normal()));
      wide.push_back(static_cast<float>(b.back()));
    }
  }

  // `rows` rows of a, from `first` on. B is [n, k] (transposed) or [k, n].
  std::vector<float> product(int64_t first, int64_t rows, bool transposed, bool bf16) const {
    std::vector<float> c(static_cast<size_t>(rows * n + 1), NAN);
    Gemm g{.m = rows, .n = n, .k = k, .a = a.data() + first * k, .a_row = k};
    g.b = bf16 ? static_cast<const void*>(b.data()) : wide.data();
    g.b_row = transposed ? 1 : n, g.b_col = transposed ? k : 1;
    g.c = c.data(), g.c_row = n, g.b_bf16 = bf16;
    gemm(g);
    EXPECT_TRUE(std::isnan(c.back())) << "written past the end";
    c.pop_back();
    return c;
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Rounding of k products and their sum, each to half a unit: a bound, not a guess.
void expect_near(const Operands& o, const std::vector<float>& c, int64_t first, bool transposed) {
  for (size_t at = 0; at < c.size(); ++at) {
    const auto i = static_cast<int64_t>(at) / o.n + first, j = static_cast<int64_t>(at) % o.n;
    double sum = 0, size = 0;
    for (int64_t p = 0; p < o.k; ++p) {
      const double one = static_cast<double>(o.a[static_cast<size_t>(i * o.k + p)]) *
                         o.wide[static_cast<size_t>(transposed ? j * o.k + p : p * o.n + j)];
      sum += one, size += std::fabs(one);
    }
    ASSERT_NEAR(c[at], sum, size * 6e-8 * static_cast<double>(o.k + 1)) << i << ", " << j;
  }
}

TEST(GemmBf16, ValuesOfEveryShapeRowCountAndLayout) {
  const int before = thread_count();
  for (const int64_t k : {1, 2, 7, 8, 31, 32, 33, 100, 513, 1030})
    for (const int64_t n : {1, 3, 16, 17, 33, 70}) {
      const Operands o(20, n, k);
      SCOPED_TRACE(text_of("k ", k, " n ", n, " isa ", isa_name()));
      expect_near(o, o.product(0, 20, true, true), 0, true);
      expect_near(o, o.product(0, 20, false, true), 0, false);
      const std::vector<float> all = o.product(0, 20, true, true);
      for (const int threads : {1, 2, 3}) {
        set_thread_count(threads);
        for (int64_t rows = 1; rows <= 9; ++rows)
          ASSERT_EQ(0, std::memcmp(o.product(2, rows, true, true).data(), all.data() + 2 * n,
                                   static_cast<size_t>(rows * n) * sizeof(float)))
              << rows << " rows, " << threads << " threads";
      }
    }
  set_thread_count(before);
}

// Small whole numbers: every order gives the same sum, so the value must be exact.
TEST(GemmBf16, WholeNumbersAreExact) {
  Operands o(5, 37, 1027);
  for (size_t i = 0; i < o.a.size(); ++i) o.a[i] = static_cast<float>(i % 13) - 6;
  for (size_t i = 0; i < o.b.size(); ++i)
    o.b[i] = BFloat16(o.wide[i] = static_cast<float>(i % 17) - 8);
  EXPECT_TRUE(same_bits(o.product(0, 5, true, true), o.product(0, 5, true, false)));
}

TEST(GemmBf16, InfinityAndNanStayInTheirColumn) {
  Operands o(1, 20, 40);
  o.b[5 * 40 + 39] = BFloat16(INFINITY);
  o.b[19 * 40] = BFloat16(NAN);
  const std::vector<float> c = o.product(0, 1, true, true);
  for (size_t j = 0; j < c.size(); ++j) {
    EXPECT_EQ(std::isinf(c[j]), j == 5) << j;
    EXPECT_EQ(std::isnan(c[j]), j == 19) << j;
  }
}

TEST(GemmBf16, EmptySumsAreZeroAndSumsAreAddedTo) {
  Operands o(3, 5, 4);
  const std::vector<float> wanted = o.product(0, 3, true, false);  // widened: the usual order
  std::vector<float> c(15, 0.0f);
  Gemm g{.m = 3, .n = 5, .k = 4, .a = o.a.data(), .a_row = 4, .b = o.b.data()};
  g.b_row = 1, g.b_col = 4, g.c = c.data(), g.c_row = 5, g.b_bf16 = true, g.accumulate = true;
  gemm(g);
  EXPECT_TRUE(same_bits(c, wanted));
  g.k = 0, g.accumulate = false;
  gemm(g);
  EXPECT_EQ(c, std::vector<float>(15, 0.0f));
}

}  // namespace
}  // namespace jogak::cpu
