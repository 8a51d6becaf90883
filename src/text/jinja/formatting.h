// "..." % values and "...".format(values).
#pragma once

#include "text/jinja/machine.h"

namespace jogak::jinja {

Value percent_format(Machine& machine, const Value& format, const Value& values);
Value brace_format(Machine& machine, const Value& format, const Args& args);

}  // namespace jogak::jinja
