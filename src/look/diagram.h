// A model as blocks, one below the other: what happens in each, and how often it is repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "look/recorder.h"
#include "look/svg.h"

namespace jogak {

struct DiagramStep {
  std::string name, shape;
  std::string_view colour;  // by what it does: attention, norm, positions, feed-forward
};

struct DiagramBlock {
  std::string title;   // "h.0 … h.3"; empty outside the layers
  int64_t repeat = 1;  // layers like this one
  std::vector<DiagramStep> steps = {};
};

// Equal layers become one block; steps that only repeat another's values are left out.
std::vector<DiagramBlock> diagram_of(const std::vector<StepRecord>& steps);
bool repeats_another(Part part);

Panel diagram_panel(const std::vector<DiagramBlock>& blocks, Lang lang);
Json diagram_json(const std::vector<DiagramBlock>& blocks);

}  // namespace jogak
