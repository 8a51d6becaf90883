// The outline of a model of any family, from its config.json alone.
#pragma once

#include <string>

#include "draw/outline.h"

namespace jogak {

ModelOutline model_outline(const std::string& directory);

}  // namespace jogak
