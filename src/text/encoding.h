// The result of encoding a text.
#pragma once

#include <string>
#include <vector>

#include "text/aligned_text.h"

namespace jogak {

struct Encoding {
  std::vector<int> ids;
  std::vector<std::string> tokens;
  std::vector<Span> offsets;  // characters of the original text
};

}  // namespace jogak
