// The settings of generation_config.json as options of `jogak generate` and `jogak translate`.
#pragma once

#include <vector>

#include "app/use/generation.h"
#include "cli/args.h"

namespace jogak::cli {

enum class Writing : uint8_t { generate, chat, translate };

std::vector<Option> generation_options(Writing command);
// Those that were typed. Ids are tokens of a model of `vocab`.
GenerationSettings generation_settings(const Args& args, Writing command, int64_t vocab);
std::string generation_help(Writing command, Lang lang);  // what counts where nothing is typed

Option candidates_option();
Option system_option();

}  // namespace jogak::cli
