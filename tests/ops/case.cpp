#include "tests/ops/case.h"

#include <cmath>

namespace jogak::test {

std::vector<OpCase>& all_cases() {
  static std::vector<OpCase> cases;
  return cases;
}

AddCases::AddCases(std::vector<OpCase> cases) {
  for (OpCase& c : cases) all_cases().push_back(std::move(c));
}

namespace {

double draw(const Input& input, Rng& rng, int64_t index, int64_t count) {
  switch (input.fill) {
    case Fill::normal: return rng.normal();
    case Fill::positive: return 0.5 + rng.uniform();
    case Fill::ids: return static_cast<double>(rng.below(static_cast<uint64_t>(input.high)));
    case Fill::flags: return static_cast<double>(rng.below(2));
    case Fill::spread: {
      // A shuffled grid: multiply by an odd number modulo the size, sign by position.
      const int64_t n = std::max<int64_t>(count, 1);
      const double place = static_cast<double>((index * 7919 + 13) % n) + 0.5;
      return (index % 2 ? 1 : -1) * (0.1 + 2.0 * place / static_cast<double>(n));
    }
  }
  return 0;
}

// The same values seen through other strides.
Tensor laid_out(const Tensor& x, Memory memory) {
  const int rank = x.rank();
  if (memory == Memory::transposed && rank >= 2) {
    Shape transposed = x.shape();
    std::swap(transposed[rank - 2], transposed[rank - 1]);
    const Tensor base = empty(transposed, x.dtype(), x.device());
    Strides strides = base.strides();
    std::swap(strides[rank - 2], strides[rank - 1]);
    Tensor out = base.view(x.shape(), strides, 0);
    copy_into(out, x);
    return out;
  }
  if (memory == Memory::sliced && rank >= 1) {
    const Tensor base = zeros(x.shape().with(-1, x.dim(-1) + 3), x.dtype(), x.device());
    Tensor out = base.view(x.shape(), base.strides(), 2);
    copy_into(out, x);
    return out;
  }
  return x;
}

}  // namespace

std::vector<Tensor> make_inputs(const std::vector<Input>& inputs, DType dtype, Device& device) {
  std::vector<Tensor> out;
  uint64_t stream = 1;
  for (const Input& input : inputs) {
    Rng rng(20170612, stream++);
    const int64_t count = input.shape.count();
    std::vector<double> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = draw(input, rng, i, count);
    const DType kind = input.fill == Fill::ids     ? DType::i64
                       : input.fill == Fill::flags ? DType::boolean
                                                   : dtype;
    const Tensor host = cast(from_values(values, input.shape), kind);
    out.push_back(laid_out(to_device(host, device), input.memory));
  }
  return out;
}

std::vector<Values> to_values(std::span<const Tensor> tensors) {
  std::vector<Values> out;
  for (const Tensor& x : tensors) {
    Values values(x.shape());
    values.v = to_host<double>(x);
    out.push_back(std::move(values));
  }
  return out;
}

}  // namespace jogak::test
