// Products of bf16: the order of a sum depends on k alone, and C is rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa_small.h"
#include "tensor/tensor.h"

namespace jogak::cpu {
namespace {

// A [m, k] and B [k, n], each as it lies or transposed.
struct Halves {
  int64_t m, n, k;
  bool a_turned, b_turned;
  Tensor a, b;
  Halves(int64_t rows, int64_t cols, int64_t depth, int turned)
      : m(rows),
        n(cols),
        k(depth),
        a_turned(turned & 1),
        b_turned(turned & 2),
        a(randn({rows * depth}, Rng(1), DType::bf16)),
        b(randn({depth * cols}, Rng(2), DType::bf16)) {}

  Gemm product(const Tensor& c, int64_t rows) const {
    return {.dtype = DType::bf16,
            .m = rows,
            .n = n,
            .k = k,
            .a = a.raw(),
            .a_row = a_turned ? 1 : k,
            .a_col = a_turned ? m : 1,
            .b = b.raw(),
            .b_row = b_turned ? 1 : n,
            .b_col = b_turned ? k : 1,
            .c = c.raw(),
            .c_row = n,
            .c_f32 = c.dtype() == DType::f32};
  }
  std::vector<float> made(int64_t rows, DType dtype) const {
    const Tensor c = full({rows, n}, NAN, dtype);
    gemm(product(c, rows));
    return to_host<float>(c);
  }
  // The contract, word by word, of sums that are added to `start`.
  std::vector<float> contract(float start = 0) const {
    const std::vector<float> x = to_host<float>(a), y = to_host<float>(b);
    std::vector<float> out;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const auto term = [&](int64_t p, float sum) {
          const auto at = [](int64_t place) { return static_cast<size_t>(place); };
          return std::fma(x[at(a_turned ? p * m + i : i * k + p)],
                          y[at(b_turned ? j * k + p : p * n + j)], sum);
        };
        out.push_back(isa_has_amx() ? sum_of_tiles(term, start) : start + sum_of_chunks(term));
      }
    return out;
  }
  // Of each pair the second product, then the first.
  template <class Term>
  float sum_of_chunks(const Term& term) const {
    float total = 0;
    for (int64_t k0 = 0; k0 < k; k0 += 2 * kGemmChunk) {
      const int64_t end = std::min(k, k0 + 2 * kGemmChunk);
      float sum = 0;
      for (int64_t p = k0; p < end; p += 2) sum = term(p, p + 1 < end ? term(p + 1, sum) : sum);
      total = k0 == 0 ? sum : total + sum;
    }
    return total;
  }
  // AMX: of each 32 steps the even ones, the odd ones, and both into the sum.
  template <class Term>
  float sum_of_tiles(const Term& term, float total) const {
    for (int64_t k0 = 0; k0 < k; k0 += 32) {
      float even = 0, odd = 0;
      for (int64_t p = k0; p < std::min(k, k0 + 32); p += 2) {
        even = term(p, even);
        if (p + 1 < k) odd = term(p + 1, odd);
      }
      total += even + odd;
    }
    return total;
  }
};

std::vector<float> rounded(std::vector<float> x) {
  for (float& v : x) v = static_cast<float>(BFloat16(v));
  return x;
}

TEST(GemmOfBf16, BitsAreTheContractsWhateverRowsAndThreads) {
  const int before = thread_count();
  for (const int64_t k : {1, 2, 3, 64, 201, 1024, 1025, 2050})
    for (const int64_t n : {1, 5, 48, 67})
      for (const int turned : {0, 1, 2, 3}) {
        SCOPED_TRACE(text_of("k ", k, " n ", n, " turned ", turned));
        const Halves o(19, n, k, turned);
        const std::vector<float> wanted = o.contract();
        for (const int threads : {1, 3}) {
          set_thread_count(threads);
          ASSERT_EQ(o.made(19, DType::f32), wanted);
          ASSERT_EQ(o.made(19, DType::bf16), rounded(wanted));
          if (o.a_turned) continue;  // fewer rows of a transposed A are another matrix
          for (const int64_t rows : {1, 2, 7, 8, 9, 16, 17})
            ASSERT_EQ(o.made(rows, DType::f32),
                      std::vector(wanted.begin(), wanted.begin() + rows * n));
        }
      }
  set_thread_count(before);
}

// Operands that are held in parts, C cut into rectangles with edges.
TEST(GemmOfBf16, LargeProductsKeepTheContract) {
  const int before = thread_count();
  const int64_t sizes[][3] = {{1100, 70, 130}, {70, 1100, 130}, {9, 300, 2300}, {120, 100, 2050}};
  for (const auto& [m, n, k] : sizes)
    for (const int turned : {0, 1, 2, 3}) {
      SCOPED_TRACE(text_of(m, " x ", n, " x ", k, " turned ", turned));
      const Halves o(m, n, k, turned);
      set_thread_count(3);
      const std::vector<float> wanted = o.contract();
      ASSERT_EQ(o.made(m, DType::f32), wanted);
      ASSERT_EQ(o.made(m, DType::bf16), rounded(wanted));
    }
  set_thread_count(before);
}

TEST(GemmOfBf16, AddsToWhatIsThere) {
  const Halves o(6, 20, 33, 2);
  const std::vector<float> wanted = o.contract(4);
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const Tensor c = full({6, 20}, 4, dtype);
    Gemm g = o.product(c, 6);
    g.accumulate = true;
    gemm(g);
    EXPECT_EQ(to_host<float>(c), dtype == DType::f32 ? wanted : rounded(wanted));
  }
}

// So deep that no line of it is held whole: sums stand beside C.
TEST(GemmOfBf16, DeepProductsKeepTheContract) {
  const Halves o(5, 9, 12000, 2);
  const std::vector<float> wanted = o.contract();
  ASSERT_EQ(o.made(5, DType::f32), wanted);
  ASSERT_EQ(o.made(5, DType::bf16), rounded(wanted));
}

TEST(GemmOfBf16, NotANumberStaysOne) {
  const Halves o(3, 17, 40, 2);
  o.a.data<BFloat16>()[41] = BFloat16(NAN);  // of row 1
  const std::vector<float> c = o.made(3, DType::bf16);
  for (size_t i = 0; i < c.size(); ++i) EXPECT_EQ(std::isnan(c[i]), i / 17 == 1) << i;
}

}  // namespace
}  // namespace jogak::cpu
