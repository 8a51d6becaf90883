// Filters: "x | trim".
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "text/jinja/machine.h"

namespace jogak::jinja {

bool is_filter(std::string_view name);
Value apply_filter(Machine& machine, std::string_view name, const Value& value, const Args& args);

// The two tables it looks in.
using Filter = std::function<Value(Machine&, const Value&, const Args&)>;
using FilterTable = std::map<std::string_view, Filter>;
const FilterTable& text_filters();
const FilterTable& list_filters();

}  // namespace jogak::jinja
