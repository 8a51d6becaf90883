// Commands that only use a model, in several processes among which its layers are divided.
#pragma once

#include <optional>

#include "app/models/divided.h"
#include "cli/command.h"

namespace jogak::cli {

std::vector<Option> division_options();  // --processes, --process, --first
ProcessRequest processes_of(const Args& args);
// The exit code of the processes that were to be started; nothing: this one goes on.
std::optional<int> start_others(const Args& args);

}  // namespace jogak::cli
