// Sentence pairs that a recipe names.
#pragma once

#include "app/train/recipe.h"
#include "data/pair_text.h"

namespace jogak {

struct RecipePairs {
  Pairs train, valid;
};
RecipePairs recipe_pairs(const DataRecipe& data);

}  // namespace jogak
