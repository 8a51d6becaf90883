// Tests: "x is defined".
#pragma once

#include <string_view>

#include "text/jinja/machine.h"

namespace jogak::jinja {

bool is_test(std::string_view name);
bool passes_test(Machine& machine, std::string_view name, const Value& value, const Args& args);

}  // namespace jogak::jinja
