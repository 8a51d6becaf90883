// Every case of the list on a GPU, where there is one: values against plain loops, gradients
// against the CPU's in double, and the same bits twice.
#include "ops/attention.h"
#include "tensor/devices.h"
#include "tests/ops/compare.h"
#include "tests/support/gradcheck.h"

namespace jogak::test {
namespace {

TEST(OpsOnCuda, EveryCaseRunsWhereThereIsAGpu) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  EXPECT_FALSE(all_cases().empty());
}

std::vector<OpCase> cases_here() {
  return find_cuda().device ? all_cases() : std::vector<OpCase>();
}

class CasesOnCuda : public testing::TestWithParam<OpCase> {
 protected:
  Device& gpu = *find_cuda().device;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CasesOnCuda);

TEST_P(CasesOnCuda, ValueInEveryDtype) {
  const OpCase& c = GetParam();
  for (const DType dtype : c.dtypes) {
    const auto inputs = make_inputs(c.inputs, dtype, gpu);
    const auto got = c.call(inputs);
    const auto wanted = c.reference(to_values(make_inputs(c.inputs, dtype)));
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], wanted[i], tolerance(dtype) * c.slack, text_of(dtype, " output ", i));
  }
}

TEST_P(CasesOnCuda, GradientInEveryDtype) {
  const OpCase& c = GetParam();
  if (!c.differentiable) return;
  for (const DType dtype : c.dtypes) {
    std::vector<Tensor> same;  // the very same numbers, in double, on the CPU
    for (const Tensor& x : make_inputs(c.inputs, dtype))
      same.push_back(is_float(x.dtype()) ? cast(x, DType::f64) : x);
    const auto got = gradients_of(c.call, make_inputs(c.inputs, dtype, gpu));
    const auto wanted = to_values(gradients_of(c.call, same));
    for (size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], wanted[i], 4 * tolerance(dtype) * c.slack, text_of(dtype, " grad ", i));
  }
}

TEST_P(CasesOnCuda, SameBitsTwice) {
  const OpCase& c = GetParam();
  std::vector<Tensor> first;
  for (const int round : {1, 2}) {
    const auto inputs = make_inputs(c.inputs, DType::f32, gpu);
    std::vector<Tensor> all = c.call(inputs);
    if (c.differentiable)
      for (const Tensor& g : gradients_of(c.call, inputs)) all.push_back(g);
    if (round == 1) first = all;
    expect_same_bits(first, all, text_of("round ", round));
  }
}

// Which weights fall out is a matter of their places, on every device and in every type.
TEST(OpsOnCuda, AttentionDropsTheWeightsTheCpuDrops) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  const auto call = [](std::span<const Tensor> in) {
    return std::vector{
        attention(in[0], in[1], in[2], {.causal = true, .dropout = 0.3, .seed = 7, .stream = 9})};
  };
  for (const int64_t width : {int64_t{64}, int64_t{128}, int64_t{24}}) {
    std::vector<Tensor> here, there;
    for (const uint64_t i : {1, 2, 3}) {
      const Tensor x = randn({2, 150, 3, width}, Rng(5, i), DType::bf16);
      here.push_back(cast(x, DType::f64));
      there.push_back(to_device(x, *find_cuda().device));
    }
    const double tol = tolerance(DType::bf16);
    expect_near(call(there)[0], to_values(call(here))[0], 2 * tol, text_of("width ", width));
    const auto got = gradients_of(call, there);
    const auto wanted = to_values(gradients_of(call, here));
    for (size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], wanted[i], 8 * tol, text_of("width ", width, " grad ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, CasesOnCuda, testing::ValuesIn(cases_here()), case_name);

}  // namespace
}  // namespace jogak::test
