#include "ops/cast.h"

#include <cmath>
#include <cstring>

#include "autograd/autograd.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

// Random bit patterns with every exponent, and the values where rounding turns.
std::vector<float> difficult() {
  std::vector<float> out = {0.0f,     -0.0f,    1.0f,       65504.0f, 65519.9f, 65520.0f, 1e-8f,
                            0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1p-14f, INFINITY, -INFINITY};
  Rng rng(9);
  for (int i = 0; i < 20000; ++i) {
    const float value = std::bit_cast<float>(rng.next_u32());
    if (!std::isnan(value)) out.push_back(value);
  }
  return out;
}

TEST(ToDtype, VectorsRoundAsSingleNumbersDo) {
  const auto x = difficult();
  const Tensor in = from_values(x, {static_cast<int64_t>(x.size())});
  const Tensor b = to_dtype(in, DType::bf16), h = to_dtype(in, DType::f16);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(b.data<BFloat16>()[i].bits, BFloat16(x[i]).bits) << x[i];
    ASSERT_EQ(h.data<Float16>()[i].bits, Float16(x[i]).bits) << x[i];
  }
  const Tensor across = to_dtype(h, DType::bf16), back = to_dtype(b, DType::f32);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto half = static_cast<float>(h.data<Float16>()[i]);
    ASSERT_EQ(across.data<BFloat16>()[i].bits, BFloat16(half).bits) << x[i];
    ASSERT_EQ(back.data<float>()[i], static_cast<float>(b.data<BFloat16>()[i]));
  }
}

TEST(ToDtype, NanStaysNan) {
  const Tensor nan = full({40}, NAN);
  for (const DType dtype : {DType::bf16, DType::f16, DType::f64})
    for (const double v : to_host<double>(to_dtype(nan, dtype))) ASSERT_TRUE(std::isnan(v));
}

TEST(ToDtype, GradientsComeBackInTheTypeOfTheInput) {
  const Tensor x = leaf(full({3}, 0.5));
  const Tensor y = to_dtype(x, DType::bf16);
  const Tensor g = gradients(test::weighted_sum({{y}}), {{x}})[0];
  EXPECT_EQ(g.dtype(), DType::f32);
  EXPECT_EQ(to_host<float>(g), to_host<float>(randn({3}, Rng(7, 0), DType::bf16)));
}

TEST(ToDtype, TheSameTypeIsTheInputItself) {
  const Tensor x = leaf(full({3}, 0.5));
  EXPECT_EQ(to_dtype(x, DType::f32).history(), x.history());
  EXPECT_EQ(to_dtype(x, DType::f32).storage(), x.storage());
}

}  // namespace
}  // namespace jogak
