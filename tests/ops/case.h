// One list of op cases. tests/ops/cases/<stem>_cases.cpp adds to it; the value, gradient, dtype,
// thread and device tests, the benchmark and docs/ops.md are made from it.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace jogak::test {

// Plain numbers in double: what references compute with.
struct Values {
  Shape shape;
  std::vector<double> v;
  Values() = default;
  explicit Values(const Shape& s) : shape(s), v(static_cast<size_t>(s.count()), 0.0) {}
  double& operator[](int64_t i) { return v[static_cast<size_t>(i)]; }
  double operator[](int64_t i) const { return v[static_cast<size_t>(i)]; }
};

enum class Fill {
  normal,    // mean 0, deviation 1
  positive,  // 0.5 .. 1.5
  spread,    // distinct values, none near another or near 0: for kinks (relu, max, |x|)
  ids,       // integers 0 .. high-1 (i64)
  flags,     // 0 or 1 (bool)
};

enum class Memory { dense, transposed, sliced };  // transposed: last two axes; sliced: an offset

struct Input {
  Shape shape;
  Fill fill = Fill::normal;
  int64_t high = 0;  // for ids
  Memory memory = Memory::dense;
  bool floating() const { return fill != Fill::ids && fill != Fill::flags; }
};

using Call = std::function<std::vector<Tensor>(std::span<const Tensor>)>;
using Reference = std::function<std::vector<Values>(std::span<const Values>)>;

struct OpCase {
  std::string op;    // the name given to record()
  std::string name;  // what this case is about, a few words with dashes
  std::vector<Input> inputs;
  Call call;            // the op, on any device and dtype
  Reference reference;  // the same by plain loops in double
  bool differentiable = true;
  std::vector<DType> dtypes = {DType::f32, DType::f64, DType::bf16, DType::f16};
  double slack = 1;               // times the dtype's tolerance: for sums of many products
  std::vector<Input> bench = {};  // sizes to time; empty: not timed
};

inline void PrintTo(const OpCase& c, std::ostream* out) { *out << c.op << " " << c.name; }

std::vector<OpCase>& all_cases();

struct AddCases {
  explicit AddCases(std::vector<OpCase> cases);
};

// Inputs of a case, made of the same numbers whatever the dtype and device (rounded to it).
std::vector<Tensor> make_inputs(const std::vector<Input>& inputs, DType dtype,
                                Device& device = cpu_device());
std::vector<Values> to_values(std::span<const Tensor> tensors);

}  // namespace jogak::test
