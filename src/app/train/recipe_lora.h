// The adapters a recipe trains.
#pragma once

#include "app/train/recipe.h"
#include "nn/params.h"

namespace jogak {

// Rank 0 without adapters. Layers that are not named are the family's usual.
LoraConfig recipe_lora(const Recipe& recipe);
// UsageError for a name that no layer of the opened model has: its adapters would never be.
void check_targets(const LoraConfig& lora, const ParamStore& store);

}  // namespace jogak
