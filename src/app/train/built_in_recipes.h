// The recipes that the program brings, written by cmake/recipes.cmake from recipes/*.toml.
#pragma once

#include <span>
#include <string_view>

namespace jogak {

struct BuiltInRecipe {
  std::string_view name, text;  // "bert-cls", the TOML
};

std::span<const BuiltInRecipe> built_in_recipes();

}  // namespace jogak
