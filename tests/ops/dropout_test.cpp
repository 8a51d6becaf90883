#include "ops/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "base/random.h"
#include "ops/dropout_kernel.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

// A rate of word / 2^32 keeps an element and the next larger rate drops it: each word is known to
// the bit.
TEST(Dropout, TheWordsAreThoseOfThePlainFunction) {
  Rng rng(11);
  for (int round = 0; round < 40; ++round) {
    const uint64_t seed = rng.next_u64(), stream = rng.next_u64();
    // Also counters whose lower half overflows on the way, and larger ones.
    const uint64_t block = round % 3 == 0   ? rng.below(1000)
                           : round % 3 == 1 ? (uint64_t{1} << 32) - rng.below(16)
                                            : rng.next_u64() >> 2;
    const std::vector<float> ones(64, 1);
    for (uint64_t i = 0; i < 64; ++i) {
      const uint32_t word = philox(seed, stream, block + i / 4)[i % 4];
      std::vector<float> kept(64), dropped(64);
      const double rate = word * 0x1p-32, above = (word + 1.0) * 0x1p-32;
      if (above >= 1) continue;
      const auto drop = [&](double at, std::vector<float>& to) {
        run(OnCpu{}, DropoutArgs{DType::f32, drop_rule(at, seed, stream), ones.data(), to.data(),
                                 64, block * 4});
      };
      drop(rate, kept);
      drop(above, dropped);
      ASSERT_NE(kept[i], 0) << round << ", word " << i;
      ASSERT_EQ(dropped[i], 0) << round << ", word " << i;
    }
  }
}

TEST(Dropout, TheSameElementsInEveryDtype) {
  constexpr int64_t kCount = 5000;
  const uint64_t seed = 7, stream = uint64_t{3} << 40;
  for (const double rate : {0x1p-32, 0.1, 0.5, 0.999}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
      const auto y = to_host<double>(dropout(full({kCount}, 1, dtype), rate, seed, stream));
      const double kept = item(full({}, 1 / (1 - rate), dtype));
      for (int64_t i = 0; i < kCount; ++i) {
        const uint32_t word = philox(seed, stream, static_cast<uint64_t>(i) / 4)[i % 4];
        ASSERT_EQ(y[i], word >= std::floor(rate * 0x1p32) ? kept : 0)
            << dtype << " " << rate << " " << i;
      }
    }
  }
}

TEST(Dropout, DropsTheShareAskedForAndKeepsTheMean) {
  constexpr int64_t kCount = 1 << 20;
  const auto y = to_host<double>(dropout(full({kCount}, 1), 0.2, 1, 2));
  int64_t zeros = 0;
  double sum = 0;
  for (const double v : y) {
    zeros += v == 0;
    sum += v;
  }
  EXPECT_NEAR(static_cast<double>(zeros) / kCount, 0.2, 5 * 0.4 / 1024);  // five deviations
  EXPECT_NEAR(sum / kCount, 1, 5 * 0.5 / 1024);
}

TEST(Dropout, TheGradientIsDroppedWhereTheValueWas) {
  const Tensor x = leaf(full({1000}, 2, DType::f64));
  const Tensor y = dropout(x, 0.3, 5, 6);
  const auto values = to_host<double>(y);
  const auto grad = to_host<double>(gradients(test::weighted_sum({{y}}), {{x}})[0]);
  const auto weight = to_host<double>(randn({1000}, Rng(7, 0), DType::f64));
  for (size_t i = 0; i < grad.size(); ++i) EXPECT_EQ(grad[i] * 2, weight[i] * values[i]) << i;
}

TEST(Dropout, RateZeroIsTheInputItself) {
  const Tensor x = leaf(full({3}, 1));
  const Tensor y = dropout(x, 0, 1, 2);
  EXPECT_EQ(y.raw(), x.raw());
  EXPECT_EQ(y.history(), x.history());
}

TEST(DropoutErrors, WhatCannotBeDroppedIsRefused) {
  const Tensor x = full({3}, 1);
  expect_error<UsageError>([&] { dropout(x, 1, 1, 2); },
                           "dropout: found rate 1, wanted at least 0 and less than 1");
  expect_error<UsageError>([&] { dropout(x, -0.5, 1, 2); },
                           "dropout: found rate -0.5, wanted at least 0 and less than 1");
  expect_error<UsageError>([&] { dropout(x, NAN, 1, 2); },
                           "dropout: found rate nan, wanted at least 0 and less than 1");
  expect_error<ShapeError>([] { dropout(arange(0, 3), 0.5, 1, 2); },
                           "dropout: found dtype i64, wanted a float type");
}

}  // namespace
}  // namespace jogak
