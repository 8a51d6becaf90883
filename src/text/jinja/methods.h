// Methods of strings, lists, dicts and numbers.
#pragma once

#include <string_view>

#include "text/jinja/machine.h"

namespace jogak::jinja {

bool has_method(const Value& of, std::string_view name);     // as Python's type has it
bool changes_value(const Value& of, std::string_view name);  // and is forbidden by the sandbox
Value call_method(Machine& machine, const Value& self, const std::string& name, const Args& args);
Value call_text_method(Machine& machine, const Value& self, const std::string& name,
                       const Args& args);

}  // namespace jogak::jinja
