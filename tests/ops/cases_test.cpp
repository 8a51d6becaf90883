// Every case of the list: value, gradient, dtypes, threads, and a device that watches.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "tests/ops/compare.h"
#include "tests/support/gradcheck.h"
#include "tests/support/guarded_device.h"

namespace jogak::test {
namespace {

class Cases : public testing::TestWithParam<OpCase> {};

TEST_P(Cases, ValueInEveryDtype) {
  const OpCase& c = GetParam();
  for (const DType dtype : c.dtypes) {
    const auto inputs = make_inputs(c.inputs, dtype);
    const auto got = c.call(inputs);
    const auto wanted = c.reference(to_values(inputs));
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], wanted[i], tolerance(dtype) * c.slack, text_of(dtype, " output ", i));
  }
}

TEST_P(Cases, GradientInDouble) {
  const OpCase& c = GetParam();
  if (!c.differentiable) {
    const auto inputs = make_inputs(c.inputs, DType::f64);
    try {
      gradients_of(c.call, inputs);
      FAIL() << c.op << ": a gradient came back from an op that has none";
    } catch (const GradError& error) {
      EXPECT_NE(std::string(error.what()).find(c.op), std::string::npos) << error.what();
    }
    return;
  }
  expect_gradient(c.call, make_inputs(c.inputs, DType::f64));
}

TEST_P(Cases, GradientInEveryDtype) {
  const OpCase& c = GetParam();
  if (!c.differentiable) return;
  for (const DType dtype : c.dtypes) {
    const auto inputs = make_inputs(c.inputs, dtype);
    std::vector<Tensor> same;  // the very same numbers, in double
    for (const Tensor& x : inputs) same.push_back(is_float(x.dtype()) ? cast(x, DType::f64) : x);
    const auto got = gradients_of(c.call, inputs);
    const auto wanted = to_values(gradients_of(c.call, same));
    for (size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], wanted[i], 4 * tolerance(dtype) * c.slack, text_of(dtype, " grad ", i));
  }
}

TEST_P(Cases, SameBitsForAnyThreadCount) {
  const OpCase& c = GetParam();
  const int before = thread_count();
  std::vector<Tensor> first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const auto inputs = make_inputs(c.inputs, DType::f32);
    std::vector<Tensor> all = c.call(inputs);
    if (c.differentiable)
      for (const Tensor& g : gradients_of(c.call, inputs)) all.push_back(g);
    if (threads == 1) first = all;
    expect_same_bits(first, all, text_of(threads, " threads"));
  }
  set_thread_count(before);
}

TEST_P(Cases, TouchesNoDeviceMemoryFromTheHost) {
  const OpCase& c = GetParam();
  GuardedDevice device;
  {
    const auto here = make_inputs(c.inputs, DType::f32);
    const auto there = make_inputs(c.inputs, DType::f32, device);
    const int64_t before = device.synchronizations();
    std::vector<Tensor> far = c.call(there);
    EXPECT_EQ(device.synchronizations(), before) << "the op synchronised";
    expect_same_bits(c.call(here), far, "forward");
    if (c.differentiable)
      expect_same_bits(gradients_of(c.call, here), gradients_of(c.call, there), "gradients");
  }
}

// A kernel that follows a pointer into another device's memory would crash, or worse.
TEST_P(Cases, InputsOfTwoDevicesAreRefused) {
  const OpCase& c = GetParam();
  if (c.inputs.size() < 2) return;
  GuardedDevice device;
  {
    std::vector<Tensor> inputs = make_inputs(c.inputs, c.dtypes[0]);
    inputs.back() = to_device(inputs.back(), device);
    EXPECT_THROW(c.call(inputs), DeviceError);
  }
}

// The list is complete when main() runs: every cases file adds to it while statics start.
INSTANTIATE_TEST_SUITE_P(Ops, Cases, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace jogak::test
