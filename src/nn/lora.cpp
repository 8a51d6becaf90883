#include "nn/lora.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/concat.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/mul.h"

namespace jogak {

double LoraConfig::scale() const {
  const auto r = static_cast<double>(rank);
  return alpha / (root ? std::sqrt(r) : r);
}

bool LoraConfig::is_named(std::string_view layer, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [layer](const std::string& name) {
    return layer == name || layer.ends_with("." + name);
  });
}

Tensor Lora::apply(const Tensor& x) const {
  std::vector<Tensor> columns;
  int64_t at = 0;
  const auto fill = [&](int64_t to) {  // parts without an adapter add nothing
    if (to > at) columns.push_back(zeros(x.shape().with(-1, to - at), x.dtype(), x.device()));
    at = to;
  };
  for (const Part& part : parts) {
    fill(part.first);
    columns.push_back(linear(linear(x, part.a, {}), part.b, {}));
    at += part.rows;
  }
  fill(out);
  return jogak::scale(columns.size() == 1 ? columns[0] : concat(columns, -1), scale);
}

void Lora::merge_into(const Tensor& w) const {
  const NoGrad quiet;
  for (const Part& part : parts) {
    const Tensor rows =
        w.view({part.rows, w.dim(1)}, w.strides(), w.offset() + part.first * w.strides()[0]);
    accumulate(rows, jogak::scale(matmul(part.b, part.a), scale));
  }
}

}  // namespace jogak
