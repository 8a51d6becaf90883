// The seam's promise: the order of a sum depends on k alone.
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

std::vector<float> numbers(int64_t count, uint64_t stream) {
  Rng rng(3, stream);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(rng.normal());
  return out;
}

void blocked(const Gemm& g) { gemm_blocked(g); }

// The contract, word by word: chains of fused multiply-adds in order of k, cut every kGemmChunk.
float chained(const float* a, int64_t a_col, const float* b, int64_t b_row, int64_t k) {
  const bool fused = std::strcmp(isa_name(), "baseline") != 0;
  float total = 0;
  for (int64_t k0 = 0; k0 < k; k0 += kGemmChunk) {
    float sum = 0;
    for (int64_t p = k0; p < std::min(k, k0 + kGemmChunk); ++p) {
      const float x = a[p * a_col], y = b[p * b_row];
      sum = fused ? std::fma(x, y, sum) : x * y + sum;
    }
    total = k0 == 0 ? sum : total + sum;
  }
  return total;
}

struct Operands {
  int64_t m, n, k;
  bool a_transposed, b_transposed;
  std::vector<float> a, b;
  Operands(int64_t rows, int64_t cols, int64_t depth, bool at, bool bt)
      : m(rows),
        n(cols),
        k(depth),
        a_transposed(at),
        b_transposed(bt),
        a(numbers(rows * depth, 1)),
        b(numbers(depth * cols, 2)) {}

  // The first `rows` rows of the product.
  std::vector<float> product(int64_t rows, void (*multiply)(const Gemm&)) const {
    std::vector<float> c(static_cast<size_t>(rows * n), NAN);
    Gemm g{.m = rows, .n = n, .k = k, .a = a.data(), .b = b.data(), .c = c.data(), .c_row = n};
    g.a_row = a_transposed ? 1 : k, g.a_col = a_transposed ? m : 1;
    g.b_row = b_transposed ? 1 : n, g.b_col = b_transposed ? k : 1;
    multiply(g);
    return c;
  }
  float reference(int64_t i, int64_t j) const {
    return chained(a.data() + (a_transposed ? i : i * k), a_transposed ? m : 1,
                   b.data() + (b_transposed ? j * k : j), b_transposed ? 1 : n, k);
  }
};

void expect_bits(const std::vector<float>& got, const std::vector<float>& wanted,
                 const char* what) {
  ASSERT_EQ(0, std::memcmp(got.data(), wanted.data(), got.size() * sizeof(float))) << what;
}

TEST(Gemm, BitsDoNotDependOnThreadsRowsOrKernel) {
  const int before = thread_count();
  for (const int64_t k : {1, 3, 64, 200, 512, 513, 1024, 1025, 4096})
    for (const int64_t n : {1, 5, 64, 67})
      for (const int transposed : {0, 1, 2, 3}) {
        const Operands o(64, n, k, transposed & 1, transposed & 2);
        set_thread_count(1);
        const std::vector<float> all = o.product(64, gemm);
        SCOPED_TRACE(text_of("k ", k, " n ", n, " transposed ", transposed, " isa ", isa_name()));
        for (const int64_t i : {0, 7, 63})  // against the contract itself
          for (int64_t j = 0; j < n; ++j) ASSERT_EQ(all[i * n + j], o.reference(i, j));
        for (const int threads : {1, 2, 4}) {
          set_thread_count(threads);
          expect_bits(o.product(64, gemm), all, "threads");
          expect_bits(o.product(64, blocked), all, "the kernel for many rows");
          if (o.a_transposed) continue;  // fewer rows of a transposed A are another matrix
          for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33})
            expect_bits(o.product(rows, gemm), all, "rows");
        }
      }
  set_thread_count(before);
}

// Products large enough that operands are held in parts and C is cut into rectangles, with edges.
TEST(Gemm, LargeProductsKeepTheContract) {
  const int before = thread_count();
  const int64_t sizes[][3] = {{1100, 70, 600}, {70, 1100, 600}, {1030, 1090, 20}, {9, 300, 1300}};
  for (const auto& [m, n, k] : sizes)
    for (const int transposed : {0, 1, 2, 3}) {
      const Operands o(m, n, k, transposed & 1, transposed & 2);
      SCOPED_TRACE(text_of(m, " x ", n, " x ", k, " transposed ", transposed));
      set_thread_count(3);
      const std::vector<float> c = o.product(m, gemm);
      for (int64_t at = 0; at < m * n; at += 97)
        ASSERT_EQ(c[at], o.reference(at / n, at % n)) << at;
      set_thread_count(1);
      expect_bits(o.product(m, gemm), c, "threads");
    }
  set_thread_count(before);
}

// A bias is added when a sum is whole, not before: the bits are those of a product and a sum.
TEST(Gemm, ABiasIsAddedToWholeSums) {
  const int before = thread_count();
  const int64_t sizes[][3] = {{33, 1, 5},      {40, 67, 64},   {65, 96, 513},
                              {90, 150, 1100}, {600, 70, 600}, {70, 1100, 1300}};
  for (const auto& [m, n, k] : sizes)
    for (const int transposed : {0, 2})
      for (const int threads : {1, 3}) {
        set_thread_count(threads);
        SCOPED_TRACE(text_of(m, " x ", n, " x ", k, " transposed ", transposed));
        const Operands o(m, n, k, false, transposed == 2);
        const std::vector<float> bias = numbers(n, 3);  // as long as it is: no column is past it
        std::vector<float> wanted = o.product(m, blocked);
        for (int64_t at = 0; at < m * n; ++at) wanted[at] += bias[at % n];
        std::vector<float> got(wanted.size(), NAN);
        Gemm g{.m = m, .n = n, .k = k, .a = o.a.data(), .a_row = k, .b = o.b.data()};
        g.b_row = transposed ? 1 : n, g.b_col = transposed ? k : 1;
        g.c = got.data(), g.c_row = n, g.bias = bias.data();
        ASSERT_TRUE(adds_bias(g));
        gemm(g);
        expect_bits(got, wanted, "bias");
      }
  Gemm few{.m = 1, .n = 1, .k = 1, .a_row = 1, .b_row = 1, .b_col = 1};
  EXPECT_FALSE(adds_bias(few));
  few.m = 100, few.k = 0;
  EXPECT_FALSE(adds_bias(few));
  set_thread_count(before);
}

TEST(Gemm, ASteadyLoopAsksTheSystemForNoMemory) {
  const Operands o(33, 65, 700, false, true);
  o.product(33, gemm);
  const uint64_t asked = cpu_device().allocator().stats().system_allocations;
  for (int i = 0; i < 20; ++i) o.product(33, gemm);
  EXPECT_EQ(cpu_device().allocator().stats().system_allocations, asked);
}

TEST(Gemm, AccumulatesAndTreatsEmptySumsAsZero) {
  const std::vector<float> a = numbers(6, 1), b = numbers(6, 2);
  std::vector<float> c(4, 10.0f);
  Gemm g{.m = 2,
         .n = 2,
         .k = 3,
         .a = a.data(),
         .a_row = 3,
         .b = b.data(),
         .b_row = 2,
         .c = c.data(),
         .c_row = 2,
         .accumulate = true};
  gemm(g);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_EQ(c[i * 2 + j], 10.0f + chained(a.data() + 3 * i, 1, b.data() + j, 2, 3));
  g.k = 0, g.accumulate = false;
  gemm(g);
  EXPECT_EQ(c, std::vector<float>(4, 0.0f));
}

}  // namespace
}  // namespace jogak::cpu
