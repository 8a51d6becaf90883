// How results of op cases are compared.
#pragma once

#include <gtest/gtest.h>

#include "tests/ops/case.h"

namespace jogak::test {

// Largest allowed |error| relative to the largest |value| (at least 1).
double tolerance(DType dtype);

void expect_near(const Tensor& got, const Values& wanted, double tol, const std::string& what);

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                      const std::string& what);

std::string case_name(const testing::TestParamInfo<OpCase>& info);

}  // namespace jogak::test
