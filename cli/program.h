// How the user calls this program: what is printed as a command can be run as it is printed.
#pragma once

#include <string>
#include <string_view>

namespace jogak::cli {

void keep_program(const char* called);  // main()'s first word

// "jogak" where the shell found it in PATH, otherwise the path as it was typed, quoted where it
// has to be.
const std::string& program();

// An example line, written with `jogak`, as the user would type it here.
std::string as_called(std::string_view line);

}  // namespace jogak::cli
