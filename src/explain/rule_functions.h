// The functions a rule may call: what they are in Python, and what they compute.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "draw/matrix.h"

namespace jogak {

struct RuleFunction {
  std::string_view name;
  std::string_view numpy, pytorch;  // #0#, #1# are arguments, #*# all of them
  Matrix (*compute)(const std::vector<Matrix>& arguments);
  size_t arguments = 1;  // 0: one or more
  bool in_math = false;  // Python's math has one for plain numbers
};

std::span<const RuleFunction> rule_functions();
const RuleFunction& find_rule_function(std::string_view name);

}  // namespace jogak
