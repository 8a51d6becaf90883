// The keys of a recipe, once: reading, --set, writing and what each is for walk this table.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/train/recipe.h"

namespace jogak {

struct RecipeKey {
  using Field = std::variant<std::string*, int64_t*, uint64_t*, double*, bool*>;
  const char* section;
  const char* key;
  Field field;
  const char* kinds = "";  // the kinds of data it is for, "pairs, lines"; empty: all

  Json value() const;
  bool is_for(const std::string& kind) const;
};
std::vector<RecipeKey> recipe_keys(Recipe& recipe);

}  // namespace jogak
