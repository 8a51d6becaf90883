// Every key a recipe may hold, once: reading, --set, writing and docs/recipes.md walk this list.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

using RecipeField =
    std::variant<std::string*, int64_t*, uint64_t*, double*, bool*, OptimizerKind*, ScheduleKind*>;
struct RecipeKey {
  const char* section;
  const char* key;
  RecipeField field;
  Words about;
  const char* example;     // as TOML writes it
  const char* kinds = "";  // the kinds of data it is for, "pairs, lines"; empty: all

  bool is_for(const std::string& kind) const;
};

// By section, in the order of the file; the fields are those of `recipe`.
std::vector<RecipeKey> recipe_keys(Recipe& recipe);

Json value_of(const RecipeField& field);

// Every key with its kind, default, meaning and an example, as Markdown: `jogak train --keys`.
std::string recipe_keys_page(Lang lang);

}  // namespace jogak
