#include "tests/ops/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace jogak::test {

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-12;
    case DType::f32: return 2e-6;
    case DType::f16: return 2e-3;
    default: return 1.6e-2;
  }
}

void expect_near(const Tensor& got, const Values& wanted, double tol, const std::string& what) {
  ASSERT_EQ(text_of(got.shape()), text_of(wanted.shape)) << what;
  const auto g = to_host<double>(got);
  double top = 1;
  for (const double w : wanted.v) top = std::max(top, std::fabs(w));
  for (size_t i = 0; i < g.size(); ++i)
    ASSERT_NEAR(g[i], wanted.v[i], tol * top) << what << ", element " << i;
}

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                      const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor x = to_device(dense(a[i]), cpu_device()), y = to_device(dense(b[i]), cpu_device());
    ASSERT_EQ(text_of(x.shape()), text_of(y.shape())) << what;
    ASSERT_EQ(0, std::memcmp(x.raw(), y.raw(), x.bytes())) << what << ", tensor " << i;
  }
}

std::string case_name(const testing::TestParamInfo<OpCase>& info) {
  std::string name = info.param.op + "_" + info.param.name;
  for (char& ch : name)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return name + "_" + std::to_string(info.index);
}

}  // namespace jogak::test
