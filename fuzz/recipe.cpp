// A recipe of any bytes, and any bytes as a setting of one: refused with one line, or read; and what
// is written of it reads as the same again. No file is opened and nothing is trained.
#include "app/train/recipe.h"

#include <cstdint>
#include <string_view>

#include "app/train/built_in_recipes.h"
#include "fuzz/check.h"

namespace jogak {

std::span<const BuiltInRecipe> built_in_recipes() { return {}; }  // these are not fuzzed

}  // namespace jogak

namespace {

using namespace jogak;

template <class Work>
void tried(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  tried([&] {
    const Recipe read = parse_recipe(bytes, "fuzz.toml");
    const std::string written = to_toml(read);
    fuzz::require(to_toml(parse_recipe(written, "again.toml")) == written);
    tried([&] { check_recipe(read, "fuzz.toml"); });
  });
  tried([&] {
    Recipe changed;
    apply_settings(changed, {bytes});
    const std::string written = to_toml(changed);
    fuzz::require(to_toml(parse_recipe(written, "again.toml")) == written);
  });
  return 0;
}
