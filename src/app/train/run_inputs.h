// What a run learns from: the contents of every file, and the settings that shape them. The same
// bytes under another name, or packed otherwise, are the same.
#pragma once

#include <string>

#include "app/train/recipe.h"
#include "train/task.h"

namespace jogak {

// Files are read once, piece by piece. Generated data is its settings; of adapters the weights of
// the model they belong to count.
RunInputs run_inputs(const Recipe& recipe);

// FormatError where the recipe asks for another model or tokenizer to begin with than that which
// the run began with: it goes on with its own, and what is asked for would have no effect.
void ensure_begun_alike(const Recipe& recipe, const std::string& run);

// Of a file as it is when unpacked; of a folder all files in it with their places.
std::string contents_of(const std::string& path);

}  // namespace jogak
