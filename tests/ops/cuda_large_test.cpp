// What runs only at sizes that no case of the list has, where there is a GPU: against the same
// numbers in f32, and the same bits twice.
#include "ops/attention.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "ops/mul.h"
#include "tensor/devices.h"
#include "tests/ops/compare.h"
#include "tests/support/gradcheck.h"

namespace jogak::test {
namespace {

// Numbers that a bf16 holds, in both types.
void expect_as_in_f32(const Function& call, const std::vector<Tensor>& numbers, const char* what) {
  Device& gpu = *find_cuda().device;
  std::vector<Tensor> wide, narrow;
  for (const Tensor& x : numbers) {
    const Tensor short_x = is_float(x.dtype()) ? cast(x, DType::bf16) : x;
    narrow.push_back(to_device(short_x, gpu));
    wide.push_back(to_device(is_float(x.dtype()) ? cast(short_x, DType::f32) : x, gpu));
  }
  const double tol = tolerance(DType::bf16);
  const auto got = call(narrow);
  expect_near(got[0], to_values(call(wide))[0], tol, what);
  expect_same_bits(got, call(narrow), what);
  const auto gradients = gradients_of(call, narrow), again = gradients_of(call, narrow);
  const auto wanted = to_values(gradients_of(call, wide));
  for (size_t i = 0; i < gradients.size(); ++i)
    expect_near(gradients[i], wanted[i], 4 * tol, text_of(what, " grad ", i));
  expect_same_bits(gradients, again, what);
}

TEST(LargeOnCuda, ManyRowsWithAnActivation) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  struct Size {
    int64_t rows, out, in;
  };
  for (const Size& s : {Size{2100, 1000, 1000}, Size{1030, 2056, 1000}, Size{257, 8200, 1000}})
    for (const Activation act : {Activation::gelu, Activation::quick_gelu, Activation::gelu_tanh}) {
      const Function call = [&](std::span<const Tensor> in) {
        return std::vector{linear(in[0], in[1], in[2], act)};
      };
      expect_as_in_f32(
          call,
          {randn({s.rows, s.in}, Rng(3, 1)), randn({s.out, s.in}, Rng(3, 2)) * full({1}, 0.03f),
           randn({s.out}, Rng(3, 3))},
          "linear");
    }
}

// Rows that fill no tile of queries or keys, with heads that share them.
TEST(LargeOnCuda, AttentionOverShortRows) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  struct Size {
    int64_t queries, keys, heads, kv_heads;
  };
  for (const Size& s : {Size{197, 197, 3, 3}, Size{65, 65, 2, 2}, Size{66, 80, 4, 2},
                        Size{130, 81, 2, 1}, Size{129, 128, 2, 2}, Size{256, 144, 3, 1},
                        Size{100, 145, 2, 2}, Size{128, 192, 2, 2}, Size{192, 208, 2, 2}}) {
    const Function call = [](std::span<const Tensor> in) {
      return std::vector{attention(in[0], in[1], in[2], {})};
    };
    expect_as_in_f32(call,
                     {randn({2, s.queries, s.heads, 64}, Rng(6, 1)),
                      randn({2, s.keys, s.kv_heads, 64}, Rng(6, 2)),
                      randn({2, s.keys, s.kv_heads, 64}, Rng(6, 3))},
                     "attention");
  }
}

// Rows of logits in turn, more than there are multiprocessors; classes that fill no last piece.
TEST(LargeOnCuda, TheLossOfManyClasses) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  constexpr int64_t kRows = 700, kIn = 64, kClasses = 5003;
  std::vector<int64_t> ids(kRows);
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = i % 7 == 3 ? -100 : static_cast<int64_t>(i * 977 % kClasses);
  const Tensor targets = from_values(ids, {kRows}, *find_cuda().device);
  for (const double smoothing : {0.0, 0.1}) {
    const Function call = [&](std::span<const Tensor> in) {
      return std::vector{linear_cross_entropy(
          in[0], in[1], targets, {.label_smoothing = smoothing, .reduction = Reduction::mean})};
    };
    expect_as_in_f32(
        call, {randn({kRows, kIn}, Rng(4, 1)), randn({kClasses, kIn}, Rng(4, 2)) * full({1}, 0.2f)},
        "loss");
  }
}

}  // namespace
}  // namespace jogak::test
