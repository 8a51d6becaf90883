// Products with small integers: close to those with the same numbers as floats, by a bound that
// follows from rounding values to 16 bits or 8, and the same bits whatever runs beside.
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

// Each value is off by half a step of its block at most: its largest / 65024, of 8 bits / 254.
TEST(Packed, ProductsAreWithinTheBoundOfRoundedValues) {
  for (const Kind& kind : kKinds)
    for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{1, 128}, {37, 384}, {96, 1024}})
      for (const auto& [m, values] : {std::pair<int64_t, int>{1, 16},
                                      {2, 16},
                                      {3, 16},
                                      {5, 16},
                                      {13, 16},
                                      {3, 8},
                                      {25, 8},
                                      {35, 16}}) {
        const QuantizedMatrix w = matrix(rows, cols, kind);
        const Tensor x = randn({m, cols}, Rng(9, 2));
        const double step = values == 8 ? 254 : 65024;
        const std::vector<float> y = to_host<float>(linear(x, packed(w, values))),
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
              bound += std::abs(weight) * most * (1 / step + 1e-6);
            }
            ASSERT_NEAR(y[i * rows + o], exact, bound + 1e-6)
                << kind.bits << " bits, groups of " << kind.group << ", " << rows << " x " << cols;
          }
      }
}

// By itself a row takes another way than among many.
void expect_bits_of_each(const Tensor& w, int64_t rows, int64_t cols, int64_t step) {
  const int before = thread_count();
  const Tensor x = randn({rows, cols}, Rng(4));
  set_thread_count(1);
  const std::vector<float> all = to_host<float>(linear(x, w));
  for (const int threads : {1, 2, 4})
    for (int64_t some = 1; some <= rows; some += step) {
      set_thread_count(threads);
      const std::vector<float> y = to_host<float>(linear(x.view({some, cols}, x.strides(), 0), w));
      ASSERT_EQ(0, std::memcmp(y.data(), all.data(), y.size() * sizeof(float))) << some;
    }
  set_thread_count(before);
}

TEST(Packed, BitsDoNotDependOnThreadsOrRows) {
  for (const Kind& kind : kKinds)
    for (const int values : {16, 8})
      expect_bits_of_each(packed(matrix(50, 384, kind), values), 27, 384, 1);
}

// So deep that codes pass piece by piece, and so many rows that there are several sweeps.
TEST(Packed, BitsOfLargeProductsAreThoseOfTheirRows) {
  for (const Kind& kind : {kKinds[0], kKinds[1], kKinds[3]})
    for (const int values : {16, 8}) {
      expect_bits_of_each(packed(matrix(70, 2048, kind), values), 211, 2048, 35);
      expect_bits_of_each(packed(matrix(33, 640, kind), values), 400, 640, 133);
    }
}

// What a layer does after its product is done part by part: the same numbers.
TEST(Packed, LayersAreTheirProductsWithBiasAndActivation) {
  const Tensor bias = randn({70}, Rng(5));
  for (const int values : {8, 16})
    for (const int64_t rows : {1, 7, 20, 203}) {
      SCOPED_TRACE(text_of(rows, " rows, values of ", values, " bits"));
      const Tensor w = packed(matrix(70, 256, kKinds[0]), values);
      const Tensor x = randn({rows, 256}, Rng(6)), onto = randn({rows, 70}, Rng(7));
      const std::vector<float> plain = to_host<float>(linear(x, w)), b = to_host<float>(bias),
                               more = to_host<float>(onto),
                               relu = to_host<float>(linear(x, w, bias, Activation::relu)),
                               sum = to_host<float>(linear_onto(onto, x, w, bias));
      for (size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(relu[i], std::max(0.f, plain[i] + b[i % 70])) << i;
        ASSERT_EQ(sum[i], plain[i] + b[i % 70] + more[i]) << i;
      }
    }
}

// The contract word by word, with plain whole numbers: every instruction set keeps it.
void expect_contract(int64_t rows, int values) {
  const bool fused = std::strcmp(isa_name(), "baseline") != 0;
  const float steps = values == 8 ? 127 : 32512;
  const QuantizedMatrix w = matrix(33, 256, {4, 64, true});
  const Tensor x = randn({rows, 256}, Rng(6));
  const std::vector<float> in = to_host<float>(x), y = to_host<float>(linear(x, packed(w, values)));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t o = 0; o < 33; ++o) {
      float sum = 0;
      for (int64_t b = 0; b < 4; ++b) {
        const float* const at = in.data() + i * 256 + b * 64;
        float most = 0;
        for (int64_t k = 0; k < 64; ++k) most = std::max(most, std::abs(at[k]));
        int64_t whole = 0;
        for (int64_t k = 0; k < 64; ++k)
          whole +=
              static_cast<int64_t>(std::nearbyint(at[k] * (steps / most))) *
              (w.codes.data<uint8_t>()[o * 256 + b * 64 + k] - w.zeros.data<uint8_t>()[o * 4 + b]);
        const float scale = w.scales.data<float>()[o * 4 + b] * (most / steps);
        const auto step = static_cast<float>(whole);
        sum = fused ? std::fma(step, scale, sum) : step * scale + sum;
      }
      ASSERT_EQ(y[i * 33 + o], sum) << i << " " << o;
    }
}

TEST(Packed, SumsAreWholeNumbersWithinABlockAndFusedInOrderOfBlocks) {
  for (const int64_t rows : {3, 17})
    for (const int values : {16, 8}) expect_contract(rows, values);
}

TEST(Packed, ValuesThatAreNotFiniteStaySo) {
  const Tensor w = packed(matrix(16, 128, {8, 0, false}));
  for (const int64_t rows : {2, 13})
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      std::vector<float> x(static_cast<size_t>(128 * rows), 1.0f);
      x[3] = bad;
      const std::vector<float> y = to_host<float>(linear(from_values(x, {rows, 128}), w));
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
