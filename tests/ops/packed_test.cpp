// Products with small integers: close to those with the same numbers as floats, by a bound that
// follows from rounding values to 16 bits, and the same bits whatever runs beside.
#include "tensor/packed.h"

#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "ops/embedding.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa.h"
#include "ops/linear.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

struct Kind {
  int bits;
  int64_t group;
  bool zeros;
};
constexpr Kind kKinds[] = {{8, 0, false},  {8, 64, true}, {4, 32, false},
                           {4, 128, true}, {4, 8, true},  {8, 16, false}};

QuantizedMatrix matrix(int64_t rows, int64_t cols, const Kind& kind) {
  const int64_t group = kind.group ? kind.group : cols;
  QuantizedMatrix out = quantized(randn({rows, cols}, Rng(7, 1)), kind.bits, group);
  if (!kind.zeros) return out;
  out.zeros = empty(out.scales.shape(), DType::u8);
  for (int64_t i = 0; i < out.zeros.count(); ++i)
    out.zeros.data<uint8_t>()[i] = static_cast<uint8_t>((i * 5 + 1) % (1 << kind.bits));
  return out;
}

TEST(Packed, AnElementIsItsScaleTimesItsCodeLessZero) {
  for (const Kind& kind : kKinds) {
    const QuantizedMatrix m = matrix(19, 384, kind);
    const std::vector<float> a = to_host<float>(unpacked(packed(m))),
                             b = to_host<float>(dequantized(m));
    ASSERT_EQ(a, b) << kind.bits << " bits, groups of " << kind.group;
    const int zero = kind.zeros ? m.zeros.data<uint8_t>()[m.groups()] : 1 << (kind.bits - 1);
    EXPECT_EQ(a[384], m.scales.data<float>()[m.groups()] *
                          static_cast<float>(m.codes.data<uint8_t>()[384] - zero));
  }
}

TEST(Packed, RoundingIsToTheNearestStep) {
  const Tensor x = randn({5, 128}, Rng(3));
  for (const int bits : {4, 8}) {
    const QuantizedMatrix m = quantized(x, bits, 64);
    const std::vector<float> from = to_host<float>(x), to = to_host<float>(dequantized(m));
    for (size_t i = 0; i < from.size(); ++i) {
      const float step = m.scales.data<float>()[i / 64];
      const bool cut =
          m.codes.data<uint8_t>()[i] == 0 || m.codes.data<uint8_t>()[i] == (1 << bits) - 1;
      if (!cut) {
        EXPECT_LE(std::abs(from[i] - to[i]), step * 0.5001f);
      }
    }
  }
}

TEST(Packed, GroupsOfZerosHaveAScaleAboveZero) {
  const QuantizedMatrix m = quantized(zeros({2, 16}), 4, 8);
  for (const float scale : to_host<float>(m.scales)) EXPECT_GT(scale, 0);
  for (const float value : to_host<float>(dequantized(m))) EXPECT_EQ(value, 0);
}

// Each value is off by half a step of its block at most: its largest / 65024.
TEST(Packed, ProductsAreWithinTheBoundOfRoundedValues) {
  for (const Kind& kind : kKinds)
    for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{1, 128}, {37, 384}, {96, 1024}})
      for (const int64_t m : {1, 2, 3, 5, 13}) {
        const QuantizedMatrix w = matrix(rows, cols, kind);
        const Tensor x = randn({m, cols}, Rng(9, 2));
        const std::vector<float> y = to_host<float>(linear(x, packed(w))),
                                 floats = to_host<float>(dequantized(w)), in = to_host<float>(x);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t o = 0; o < rows; ++o) {
            double exact = 0, bound = 0;
            for (int64_t k = 0; k < cols; ++k) {
              const int64_t block = k / 128 * 128;  // no block is longer
              double most = 0;
              for (int64_t j = block; j < std::min(cols, block + 128); ++j)
                most = std::max<double>(most, std::abs(in[i * cols + j]));
              const double weight = floats[o * cols + k];
              exact += weight * in[i * cols + k];
              bound += std::abs(weight) * most * (1 / 65024.0 + 1e-6);
            }
            ASSERT_NEAR(y[i * rows + o], exact, bound + 1e-6)
                << kind.bits << " bits, groups of " << kind.group << ", " << rows << " x " << cols;
          }
      }
}

TEST(Packed, BitsDoNotDependOnThreadsOrRows) {
  const int before = thread_count();
  for (const Kind& kind : kKinds) {
    const Tensor w = packed(matrix(50, 384, kind)), x = randn({14, 384}, Rng(4));
    set_thread_count(1);
    const std::vector<float> all = to_host<float>(linear(x, w));
    for (const int threads : {1, 2, 4})
      for (int64_t rows = 1; rows <= 14; ++rows) {
        set_thread_count(threads);
        const std::vector<float> some =
            to_host<float>(linear(x.view({rows, 384}, x.strides(), 0), w));
        ASSERT_EQ(0, std::memcmp(some.data(), all.data(), some.size() * sizeof(float)));
      }
  }
  set_thread_count(before);
}

// The contract word by word, with plain whole numbers: every instruction set keeps it.
TEST(Packed, SumsAreWholeNumbersWithinABlockAndFusedInOrderOfBlocks) {
  const bool fused = std::strcmp(isa_name(), "baseline") != 0;
  const QuantizedMatrix w = matrix(33, 256, {4, 64, true});
  const Tensor x = randn({3, 256}, Rng(6));
  const std::vector<float> in = to_host<float>(x), y = to_host<float>(linear(x, packed(w)));
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t o = 0; o < 33; ++o) {
      float sum = 0;
      for (int64_t b = 0; b < 4; ++b) {
        const float* const at = in.data() + i * 256 + b * 64;
        float most = 0;
        for (int64_t k = 0; k < 64; ++k) most = std::max(most, std::abs(at[k]));
        int64_t whole = 0;
        for (int64_t k = 0; k < 64; ++k)
          whole +=
              static_cast<int64_t>(std::nearbyint(at[k] * (32512 / most))) *
              (w.codes.data<uint8_t>()[o * 256 + b * 64 + k] - w.zeros.data<uint8_t>()[o * 4 + b]);
        const float scale = w.scales.data<float>()[o * 4 + b] * (most / 32512);
        const auto step = static_cast<float>(whole);
        sum = fused ? std::fma(step, scale, sum) : step * scale + sum;
      }
      ASSERT_EQ(y[i * 33 + o], sum) << i << " " << o;
    }
}

TEST(Packed, ValuesThatAreNotFiniteStaySo) {
  const Tensor w = packed(matrix(16, 128, {8, 0, false}));
  for (const float bad : {NAN, INFINITY}) {
    std::vector<float> x(256, 1.0f);
    x[3] = bad;
    const std::vector<float> y = to_host<float>(linear(from_values(x, {2, 128}), w));
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_TRUE(std::isfinite(y[16]));  // the row beside does not see it
  }
}

TEST(Packed, RowsOfATableAreTheFloatsThemselves) {
  const QuantizedMatrix table = matrix(40, 96, {8, 0, false});
  const Tensor ids = from_values(std::vector<int64_t>{39, 0, 17}, {3});
  EXPECT_EQ(to_host<float>(embedding(packed(table), ids)),
            to_host<float>(embedding(dequantized(table), ids)));
  expect_error<Error>([&] { embedding(packed(table), from_values(std::vector<int64_t>{40}, {1})); },
                      "embedding: found id 40 at place 0, the table has 40 rows");
}

TEST(Packed, GroupsThatNoLayoutHoldsAreSaid) {
  EXPECT_EQ(packed_block(96, 192), 32);
  EXPECT_EQ(packed_block(100, 100), 128);
  EXPECT_EQ(packed_block(20, 40), 0);
  expect_error<ShapeError>(
      [] {
        quantized(zeros({2, 100}), 4, 64);
      },
      "quantize: groups of 64 columns do not divide [2, 100]");
}

}  // namespace
}  // namespace jogak
