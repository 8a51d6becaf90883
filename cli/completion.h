// The command tables in the forms that shells and man read.
#pragma once

#include <string>

#include "cli/command.h"

namespace jogak::cli {

std::string bash_completion(Lang lang);
std::string zsh_completion(Lang lang);
std::string manual_page(Lang lang);  // roff, section 1

// Every command that runs, with its words: "train", "tokenizer train".
struct NamedCommand {
  std::string words;
  const Command* command;
};
std::vector<NamedCommand> runnable_commands();
std::vector<const Option*> options_of(const Command& command);  // the common ones too

}  // namespace jogak::cli
