#include "tests/support/places.h"

#include <cstdlib>

namespace jogak {
namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

}  // namespace

std::string source_path(const std::string& path) {
  return setting("JOGAK_SOURCE_DIR", JOGAK_SOURCE_DIR) + "/" + path;
}

std::string program_path() { return setting("JOGAK_BINARY", JOGAK_BINARY); }

}  // namespace jogak
