// Python's operators on values.
#pragma once

#include <string_view>

#include "text/jinja/machine.h"

namespace jogak::jinja {

Value calculate(Machine& machine, std::string_view op, const Value& left, const Value& right);
bool compare(Machine& machine, std::string_view op, const Value& left, const Value& right);
Value signed_value(const Value& value, bool negative);
bool contains(Machine& machine, const Value& in, const Value& what);

}  // namespace jogak::jinja
