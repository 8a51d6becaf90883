// What `inspect` and `ablate` share: the input, and where the result goes.
#pragma once

#include "app/show/inspect.h"
#include "cli/command.h"

namespace jogak::cli {

void add_input_options(Command& command);
void add_output_options(Command& command);
InputChoice input_choice(const Args& args);
int64_t whole_number(const Context& c, const std::string& option);  // of a text, from 0
void show(const Context& c, const Inspection& shown);  // to --out, as --json, or as text

}  // namespace jogak::cli
