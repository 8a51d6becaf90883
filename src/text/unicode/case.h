// Lowercase with the tables of the reference.
#pragma once

#include "text/aligned_text.h"

namespace jogak::text {

AlignedText lowercased(AlignedText in);

}  // namespace jogak::text
