// Capital letters of every script that has them.
#pragma once

#include <string>

namespace jogak::text {

std::string uppercased(char32_t code);  // ß becomes two letters
std::string titlecased(char32_t code);  // at the start of a word

}  // namespace jogak::text
