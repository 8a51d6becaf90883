#include "tests/support/gradcheck.h"

#include <gtest/gtest.h>

#include <cmath>

namespace jogak::test {
namespace {

Tensor weights_for(const Tensor& y, uint64_t stream) {
  if (!is_float(y.dtype())) return zeros(y.shape(), y.dtype(), y.device());  // never looked at
  return randn(y.shape(), Rng(7, stream), y.dtype(), y.device());
}

// The outputs a sum is made of: the float ones. Of an op with integer results alone all are
// taken, so that the walk back reaches it and is refused there.
std::vector<Tensor> summed(std::span<const Tensor> outputs) {
  std::vector<Tensor> out;
  for (const Tensor& y : outputs)
    if (is_float(y.dtype())) out.push_back(y);
  return out.empty() ? std::vector<Tensor>(outputs.begin(), outputs.end()) : out;
}

// The value of weighted_sum; the weights are drawn at the first call and kept.
double value_of(const Function& f, std::span<const Tensor> inputs,
                std::vector<std::vector<double>>& weights) {
  const NoGrad quiet;
  const std::vector<Tensor> outputs = summed(f(inputs));
  for (size_t i = weights.size(); i < outputs.size(); ++i)
    weights.push_back(to_host<double>(weights_for(outputs[i], i)));
  double sum = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto y = to_host<double>(outputs[i]);
    for (size_t e = 0; e < y.size(); ++e) sum += y[e] * weights[i][e];
  }
  return sum;
}

Tensor with_element(const Tensor& x, int64_t index, double change) {
  auto values = to_host<double>(x);
  values[static_cast<size_t>(index)] += change;
  const Tensor out = clone(x);
  copy_into(out, from_values(values, x.shape()));
  return out;
}

}  // namespace

Tensor weighted_sum(std::span<const Tensor> outputs) {
  const std::vector<Tensor> inputs = summed(outputs);
  std::vector<Tensor> weights;
  for (size_t i = 0; i < inputs.size(); ++i) weights.push_back(weights_for(inputs[i], i));
  Tensor loss = zeros({}, inputs[0].dtype(), inputs[0].device());  // its value is never read
  record_many("weighted_sum", std::span(&loss, 1), inputs,
              [weights](std::span<const Tensor>) { return Grads(weights); });
  return loss;
}

std::vector<Tensor> gradients_of(const Function& f, std::span<const Tensor> inputs) {
  std::vector<Tensor> leaves, args;
  for (const Tensor& x : inputs) {
    args.push_back(is_float(x.dtype()) ? leaf(x) : x);
    if (is_float(x.dtype())) leaves.push_back(args.back());
  }
  return gradients(weighted_sum(f(args)), leaves);
}

void expect_gradient(const Function& f, std::span<const Tensor> inputs) {
  const std::vector<Tensor> grads = gradients_of(f, inputs);
  constexpr double kStep = 1e-6;
  std::vector<std::vector<double>> weights;
  size_t at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_float(inputs[i].dtype())) continue;
    const auto analytic = to_host<double>(grads[at++]);
    const int64_t count = inputs[i].count(), stride = std::max<int64_t>(1, count / 128);
    for (int64_t e = 0; e < count; e += stride) {
      std::vector<Tensor> up(inputs.begin(), inputs.end()), down = up;
      up[i] = with_element(inputs[i], e, kStep);
      down[i] = with_element(inputs[i], e, -kStep);
      const double numeric = (value_of(f, up, weights) - value_of(f, down, weights)) / (2 * kStep);
      const double given = analytic[static_cast<size_t>(e)];
      ASSERT_NEAR(given, numeric, 1e-6 + 1e-4 * std::fabs(numeric))
          << "input " << i << " of shape " << text_of(inputs[i].shape()) << ", element " << e;
    }
  }
}

}  // namespace jogak::test
