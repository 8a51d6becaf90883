#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "tensor/tensor.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// What a 16-bit float can hold: a fraction of `digits` bits, exponents from `lowest` on.
struct Format {
  int digits, lowest;
  double largest;
};
constexpr Format kBf16 = {7, -126, 0x1.FEp127}, kF16 = {10, -14, 65504};

// To nearest even in double, where every step is exact.
double rounded(double x, const Format& format) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), format.lowest);
  const double quantum = std::ldexp(1.0, exponent - format.digits);
  const double y = std::nearbyint(x / quantum) * quantum;
  return std::fabs(y) > format.largest ? std::copysign(INFINITY, x) : y;
}

double value_of(uint16_t bits, const Format& format) {
  const int biased = (bits & 0x7FFF) >> format.digits, fraction = bits & ((1 << format.digits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (biased == (0x7FFF >> format.digits)) return fraction ? NAN : sign * INFINITY;
  if (biased == 0) return sign * std::ldexp(fraction, format.lowest - format.digits);
  return sign *
         std::ldexp(fraction + (1 << format.digits), biased - 1 + format.lowest - format.digits);
}

template <class Half>
void expect_every_pattern(const Format& format) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    const auto value = static_cast<float>(half);
    const double wanted = value_of(half.bits, format);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(value)))) << bits;
      ASSERT_EQ(Half(value).bits & 0x8000, half.bits & 0x8000) << bits;
    } else {
      ASSERT_EQ(value, wanted) << bits;
      ASSERT_EQ(std::signbit(value), std::signbit(wanted)) << bits;
      ASSERT_EQ(Half(value).bits, half.bits);
    }
  }
}

template <class Half>
void expect_rounding(float x, const Format& format) {
  const auto got = static_cast<float>(Half(x));
  if (std::isnan(x)) {
    ASSERT_TRUE(std::isnan(got));
    return;
  }
  ASSERT_EQ(got, rounded(x, format)) << std::hexfloat << x;
  ASSERT_EQ(std::signbit(got), std::signbit(x));
}

// Between every two neighbours: the middle, and the floats just beside it.
template <class Half>
void expect_rounding_between_neighbours(const Format& format) {
  for (uint16_t bits = 0; bits < (0x7FFF >> format.digits << format.digits); ++bits) {
    const double low = value_of(bits, format);
    const double high =
        std::min(value_of(static_cast<uint16_t>(bits + 1), format),
                 2 * format.largest - value_of(static_cast<uint16_t>(bits - 1), format));
    const auto middle = static_cast<float>(low + (high - low) / 2);
    for (const float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY)}) {
      expect_rounding<Half>(x, format);
      expect_rounding<Half>(-x, format);
    }
  }
}

template <class Half>
void expect_rounding_of_random_floats(const Format& format) {
  Rng rng(1);
  for (int i = 0; i < 1'000'000; ++i)
    expect_rounding<Half>(std::bit_cast<float>(rng.next_u32()), format);
}

TEST(BFloat16, EveryPatternIsItsValueAndComesBack) { expect_every_pattern<BFloat16>(kBf16); }
TEST(BFloat16, RoundsToNearestEvenBetweenNeighbours) {
  expect_rounding_between_neighbours<BFloat16>(kBf16);
}
TEST(BFloat16, RoundsRandomFloats) { expect_rounding_of_random_floats<BFloat16>(kBf16); }

TEST(Float16, EveryPatternIsItsValueAndComesBack) { expect_every_pattern<Float16>(kF16); }
TEST(Float16, RoundsToNearestEvenBetweenNeighbours) {
  expect_rounding_between_neighbours<Float16>(kF16);
}
TEST(Float16, RoundsRandomFloats) {
  expect_rounding_of_random_floats<Float16>(kF16);
  Rng rng(2);  // most random floats are far out of its range
  for (int i = 0; i < 1'000'000; ++i)
    expect_rounding<Float16>(
        static_cast<float>(std::ldexp(rng.normal(), static_cast<int>(rng.below(45)) - 28)), kF16);
}

TEST(Convert, GoesThroughFloatForTheSmallTypes) {
  EXPECT_EQ(convert<double>(BFloat16(3.140625f)), 3.140625);
  EXPECT_EQ(convert<BFloat16>(0.1).bits, BFloat16(0.1f).bits);
  EXPECT_EQ(convert<Float16>(int64_t{2049}).bits, Float16(2048.0f).bits);
  EXPECT_EQ(convert<int64_t>(Float16(-7.0f)), -7);
  EXPECT_EQ(convert<int64_t>(int64_t{1} << 62), int64_t{1} << 62);
  EXPECT_EQ(convert<float>(true), 1.0f);
}

TEST(DTypes, HaveSizesNamesAndKinds) {
  const std::pair<DType, size_t> wanted[] = {{DType::f32, 4}, {DType::f64, 8},    {DType::bf16, 2},
                                             {DType::f16, 2}, {DType::i32, 4},    {DType::i64, 8},
                                             {DType::u8, 1},  {DType::boolean, 1}};
  std::string names;
  int floats = 0;
  for (const auto& [dtype, size] : wanted) {
    EXPECT_EQ(size_of(dtype), size);
    size_t held = 0;
    for_any_type(dtype, [&]<class T>() {
      held = sizeof(T);
      EXPECT_EQ(kDType<T>, dtype);
    });
    EXPECT_EQ(held, size);
    names += text_of(dtype, " ");
    floats += is_float(dtype);
    EXPECT_EQ(sum_dtype(dtype), dtype == DType::f64 ? DType::f64 : DType::f32);
  }
  EXPECT_EQ(names, "f32 f64 bf16 f16 i32 i64 u8 bool ");
  EXPECT_EQ(floats, 4);
  expect_error<ShapeError>([] { for_float_type(DType::i32, []<class T>() {}); },
                           "found dtype i32, wanted a float type");
}

}  // namespace
}  // namespace jogak
