// An input to begin with, for any model: of what it was trained on where that is known.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/model_outline.h"

namespace jogak {

struct ModelExample {
  std::string text = {}, target = {};    // of models that read text; target: of translations
  std::string image = {};                // PNG bytes
  std::vector<std::string> labels = {};  // of models that match: sentences that may fit the image
  std::string csv = {};
};

ModelExample model_example(const std::string& directory, const ModelOutline& outline);

// What a model is for: translate, generate, fill, classify, match, tag, embed or forecast.
std::string model_task(const std::string& directory, const ModelOutline& outline);

}  // namespace jogak
