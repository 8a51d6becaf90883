// Keys of a recipe that other keys leave without an effect: momentum beside AdamW, a vocabulary's
// size where no tokenizer is trained. Whoever sets one expects something that will not be.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "app/train/recipe.h"

namespace jogak {

// What has no use for "train.momentum" in this recipe: "train.optimizer = \"adamw\""; empty where
// the key counts. Kinds of data are not looked at, see RecipeKey::is_for.
std::string no_use_for(const Recipe& recipe, const std::string& key);

bool is_among(const std::string& name, std::initializer_list<const char*> names);

// FormatError for the first key that is not at its default and has no effect.
void refuse_unused(const Recipe& recipe, const std::string& name);
// Keys without an effect, but for those in `asked`, are as if nobody had set them: what the command
// line says takes their use away.
void forget_unused(Recipe& recipe, const std::vector<std::string>& asked);

}  // namespace jogak
