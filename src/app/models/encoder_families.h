// The rows of the table of families for models that write no text.
#pragma once

#include "app/models/model.h"

namespace jogak {

std::vector<Family> encoder_families();  // bert, vit, patchtst

}  // namespace jogak
