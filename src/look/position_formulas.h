// Ways to tell tokens where they stand that need no model: sines, rotations, slopes.
#pragma once

#include <string>

#include "look/recorder.h"

namespace jogak {

struct PositionFormula {
  std::string kind = "sinusoidal";  // rotary or alibi
  int64_t length = 64;              // positions
  int64_t width = 64;               // dimensions; of rotary those of a head
  int64_t heads = 8;                // of alibi
  double theta = 10000;             // of rotary
};

// UsageError for a kind there is not, and for sizes nobody can look at.
PositionTable position_formula(const PositionFormula& formula);

}  // namespace jogak
