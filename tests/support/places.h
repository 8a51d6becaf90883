// Where tests find the tree and the program. The build knows both; $JOGAK_SOURCE_DIR and
// $JOGAK_BINARY stand in where tests run on another machine than the one they were built on.
#pragma once

#include <string>

namespace jogak {

std::string source_path(const std::string& path);  // of a file of the tree: "tests/goldens/gpt2-a"
std::string program_path();

}  // namespace jogak
