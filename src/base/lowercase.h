// Small letters of every script that has them.
#pragma once

#include <string>
#include <string_view>

namespace jogak {

// As Unicode's full mapping without regard to language: U+0130 becomes two code points, and a
// capital sigma that ends a word becomes ς. Bytes that are not UTF-8 stay as they are.
std::string lowercase(std::string_view utf8);

}  // namespace jogak
