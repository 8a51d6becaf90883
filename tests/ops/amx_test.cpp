// Products by AMX's tiles, where every instruction is made by plain code: how operands are put into
// order, cut and added up is tried on machines without them, too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/ops/amx_test.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "ops/kernels/amx-inl.h"
#include "ops/kernels/isa.h"
#include "tensor/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
namespace {

struct PlainTiles {
  static inline thread_local uint32_t tiles[8][16][16];

  static void Use() { std::memset(tiles, 0xFF, sizeof(tiles)); }  // numbers that are none
  static void Leave() {}
  template <int kTile>
  static void Zero() {
    std::memset(tiles[kTile], 0, sizeof(tiles[kTile]));
  }
  template <int kTile>
  static void Load(const void* from, int64_t stride) {
    for (int64_t r = 0; r < 16; ++r)
      std::memcpy(tiles[kTile][r], static_cast<const char*>(from) + r * stride, 64);
  }
  template <int kTile>
  static void Store(void* to, int64_t stride) {
    for (int64_t r = 0; r < 16; ++r)
      std::memcpy(static_cast<char*>(to) + r * stride, tiles[kTile][r], 64);
  }
  static float Half(uint32_t word, bool upper) {
    const uint32_t bits = upper ? word & 0xFFFF0000u : word << 16;
    float out;
    std::memcpy(&out, &bits, sizeof(out));
    return out;
  }
  template <int kSum, int kA, int kB>
  static void Dot() {
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < 16; ++c) {
        float chains[2] = {0, 0}, sum;
        for (int p = 0; p < 16; ++p)
          for (const bool upper : {false, true})
            chains[upper] =
                std::fma(Half(tiles[kA][r][p], upper), Half(tiles[kB][p][c], upper), chains[upper]);
        std::memcpy(&sum, &tiles[kSum][r][c], sizeof(sum));
        sum += chains[0] + chains[1];
        std::memcpy(&tiles[kSum][r][c], &sum, sizeof(sum));
      }
  }
};

}  // namespace

bool PlainAmx(const Gemm& g) {
  AmxProduct<PlainTiles>(g);
  return true;
}
#else
bool PlainAmx(const Gemm&) { return false; }
#endif

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(PlainAmx);

namespace {

struct Product {
  int64_t m, n, k;
  bool a_turned, b_turned;
  Tensor a, b;
  Product(int64_t rows, int64_t cols, int64_t depth, int turned)
      : m(rows),
        n(cols),
        k(depth),
        a_turned(turned & 1),
        b_turned(turned & 2),
        a(randn({rows * depth}, Rng(1), DType::bf16)),
        b(randn({depth * cols}, Rng(2), DType::bf16)) {}

  Gemm gemm(const Tensor& c) const {
    return {.dtype = DType::bf16,
            .m = m,
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
  std::vector<float> contract(float start) const {
    const std::vector<float> x = to_host<float>(a), y = to_host<float>(b);
    std::vector<float> out;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float total = start;
        for (int64_t k0 = 0; k0 < k; k0 += 32) {
          float chains[2] = {0, 0};
          for (int64_t p = k0; p < std::min(k, k0 + 32); ++p)
            chains[p % 2] =
                std::fma(x[static_cast<size_t>(a_turned ? p * m + i : i * k + p)],
                         y[static_cast<size_t>(b_turned ? j * k + p : p * n + j)], chains[p % 2]);
          total += chains[0] + chains[1];
        }
        out.push_back(total);
      }
    return out;
  }
};

std::vector<float> rounded(std::vector<float> x) {
  for (float& v : x) v = static_cast<float>(BFloat16(v));
  return x;
}

void expect_contract(const Product& p) {
  if (!isa_has_bf16()) GTEST_SKIP() << "C is rounded by AVX-512 BF16, which is not there";
  for (const int turn : {0, 1, 2}) {
    const bool adds = turn == 2;
    const DType dtype = turn == 1 ? DType::bf16 : DType::f32;
    const Tensor c = full({p.m, p.n}, adds ? 4 : NAN, dtype);
    Gemm g = p.gemm(c);
    g.accumulate = adds;
    ASSERT_TRUE(HWY_DYNAMIC_DISPATCH(PlainAmx)(g));
    const std::vector<float> wanted = p.contract(adds ? 4 : 0);
    ASSERT_EQ(to_host<float>(c), dtype == DType::bf16 ? rounded(wanted) : wanted)
        << p.m << " x " << p.n << " x " << p.k;
  }
}

TEST(AmxWithPlainTiles, SumsAreTheContractsWhateverTheEdges) {
  for (const int turned : {0, 1, 2, 3})
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 1}, {16, 16, 32}, {17, 5, 33}, {33, 50, 96}, {64, 96, 100}})
      expect_contract(Product(m, n, k, turned));
}

// Several chunks of k, blocks of C, stripes of the longer operand.
TEST(AmxWithPlainTiles, LargeProductsKeepTheContract) {
  const int before = thread_count();
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    expect_contract(Product(70, 90, 1100, 2));
    expect_contract(Product(300, 40, 600, 0));
    expect_contract(Product(20, 700, 1300, 2));
    expect_contract(Product(700, 20, 1300, 1));
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace jogak
#endif
