#include "ops/add.h"

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "ops/mul.h"
#include "ops/sum_to.h"
#include "tests/ops/reference.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

using test::Values;

// A shape of up to five axes and one that broadcasts with it: each axis of either may be 1.
std::pair<Shape, Shape> random_pair(Rng& rng) {
  Shape a, b;
  const uint64_t rank = rng.below(6);
  for (uint64_t i = 0; i < rank; ++i) {
    const auto size =
        static_cast<int64_t>(rng.below(12) ? 1 + rng.below(i + 1 == rank ? 40 : 5) : 0);
    const uint64_t kind = rng.below(5);
    if (kind != 3 || a.rank() > 0) a = a.plus(kind == 0 ? 1 : size);
    if (kind != 4 || b.rank() > 0) b = b.plus(kind == 1 ? 1 : size);
  }
  return {a, b};
}

Values values_of(const Tensor& x) { return test::to_values({{x}})[0]; }

void expect_equal(const Tensor& got, const Values& wanted, double tolerance) {
  ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape));
  const auto g = to_host<double>(got);
  for (size_t i = 0; i < g.size(); ++i) ASSERT_NEAR(g[i], wanted.v[i], tolerance) << i;
}

// Sum over the repeats, by adding every element where it came from.
Values sum_reference(const Shape& target, const Values& x) {
  Values index(target), out(target);
  for (int64_t i = 0; i < target.count(); ++i) index[i] = static_cast<double>(i);
  const Values from = test::broadcast_values(index, x.shape);
  for (int64_t i = 0; i < x.shape.count(); ++i) out[static_cast<int64_t>(from[i])] += x[i];
  return out;
}

TEST(Broadcasting, RandomShapesAgreeWithPlainLoops) {
  Rng rng(1, 5);
  for (uint64_t round = 0; round < 200; ++round) {
    const auto [a_shape, b_shape] = random_pair(rng);
    SCOPED_TRACE(text_of(a_shape, " with ", b_shape));
    const Tensor a = leaf(randn(a_shape, Rng(2, round), DType::f64));
    const Tensor b = leaf(randn(b_shape, Rng(3, round), DType::f64));
    const std::vector<Values> in = {values_of(a), values_of(b)};
    const Tensor y = mul(sub(add(a, b), scale(b, 3)), b);  // (a - 2b) b
    const auto f = test::pairwise([](double p, double q) { return (p - 2 * q) * q; });
    const Values wanted = f(in)[0];
    expect_equal(y, wanted, 1e-12);

    const Tensor w = randn(y.shape(), Rng(4, round), DType::f64);
    const Tensor loss = sum_to({}, mul(y, w));  // a number without history: only its shape counts
    Tensor total = loss;
    record_many("loss", std::span(&total, 1), std::span(&y, 1),
                [w](std::span<const Tensor>) { return Grads{w}; });
    const auto grads = gradients(total, {{a, b}});
    const Values weight = values_of(w);
    Values da = test::broadcast_values(in[1], y.shape()), db = da;
    const Values wide = test::broadcast_values(in[0], y.shape());
    for (int64_t i = 0; i < y.count(); ++i) {
      db[i] = weight[i] * (wide[i] - 4 * da[i]);
      da[i] *= weight[i];
    }
    expect_equal(grads[0], sum_reference(a_shape, da), 1e-11);
    expect_equal(grads[1], sum_reference(b_shape, db), 1e-11);
    double sum = 0;
    for (int64_t i = 0; i < y.count(); ++i) sum += weight[i] * wanted[i];
    EXPECT_NEAR(item(loss), sum, 1e-10);
  }
}

TEST(SumTo, HalfTypesSumInFloat) {
  // 4096 ones and a half: bf16 alone would stay at 256.
  const Tensor x = full({4096, 3}, 1, DType::bf16);
  EXPECT_EQ(to_host<double>(sum_to({3}, x)), (std::vector<double>{4096, 4096, 4096}));
  EXPECT_EQ(item(sum_to({}, x)), 12288);
}

TEST(SumTo, LongRowsAreCutByTheirLengthAlone) {
  const int before = thread_count();
  for (const int64_t n : {8192, 8193, 70000, 150001}) {
    const Tensor x = randn({2, n}, Rng(1, 1), DType::f64), w = randn({n}, Rng(1, 2), DType::f64);
    Values product = values_of(x);
    const Values factor = values_of(w);
    for (int64_t i = 0; i < 2 * n; ++i) product[i] *= factor[i % n];
    for (const Shape& target : {Shape{}, Shape{2, 1}}) {
      set_thread_count(1);
      const Tensor one = sum_to(target, x, w);
      expect_equal(one, sum_reference(target, product), 1e-9);
      set_thread_count(3);
      EXPECT_EQ(to_host<double>(one), to_host<double>(sum_to(target, x, w)));
    }
  }
  set_thread_count(before);
}

TEST(Add, OperatorsAreTheOps) {
  const Tensor a = full({2}, 5), b = full({2}, 3);
  EXPECT_EQ(to_host<float>(a + b), (std::vector<float>{8, 8}));
  EXPECT_EQ(to_host<float>(a - b), (std::vector<float>{2, 2}));
  EXPECT_EQ(to_host<float>(a * b), (std::vector<float>{15, 15}));
  EXPECT_EQ(to_host<float>(2 * (a * 0.5)), (std::vector<float>{5, 5}));
}

TEST(Add, TheSameTensorTwiceGetsBothGradients) {
  const Tensor x = leaf(full({1}, 3.0));
  EXPECT_EQ(item(gradients(add(x, x), {{x}})[0]), 2);
  EXPECT_EQ(item(gradients(sub(x, x), {{x}})[0]), 0);
  EXPECT_EQ(item(gradients(mul(x, x), {{x}})[0]), 6);
}

TEST(AddErrors, SayWhatDoesNotFit) {
  expect_error<ShapeError>(
      [] {
        add(zeros({2, 3}), zeros({4}));
      },
      "add: shapes [2, 3] and [4] do not broadcast: axis -1 has 3 and 4");
  expect_error<ShapeError>([] { mul(zeros({2}), zeros({2}, DType::bf16)); },
                           "mul: found f32 and bf16, wanted one float type");
  expect_error<ShapeError>([] { sub(arange(0, 2), arange(0, 2)); },
                           "sub: found i64 and i64, wanted one float type");
  expect_error<ShapeError>([] { scale(arange(0, 2), 2); },
                           "scale: found dtype i64, wanted a float type");
  test::GuardedDevice device;
  const Tensor far = zeros({2}, DType::f32, device);
  expect_error<DeviceError>([&] { add(zeros({2}), far); },
                            "add: found a tensor on cpu and one on guarded");
}

}  // namespace
}  // namespace jogak
