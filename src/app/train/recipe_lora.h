// The adapters a recipe trains.
#pragma once

#include "app/train/recipe.h"
#include "nn/lora.h"

namespace jogak {

// Rank 0 without adapters. Layers that are not named are the family's usual.
LoraConfig recipe_lora(const Recipe& recipe);

}  // namespace jogak
