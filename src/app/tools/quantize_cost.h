// What quantising cost: the answers of a model before and after, on the same inputs.
#pragma once

#include <optional>
#include <string>

#include "app/models/model.h"
#include "io/safetensors.h"

namespace jogak {

// The end of the text in `file` for a language model, else inputs made from the configuration.
struct CostInputs {
  NamedTensors tensors;
  std::string from;  // in words
};
CostInputs cost_inputs(const Model& model, const std::string& directory, const std::string& file);

// How the answers differ, over positions of all texts.
struct Divergence {
  double error = 0;             // of all outputs: |before - after| / |before|
  std::optional<double> kl;     // mean, in nats, of models that score words or labels
  std::optional<double> first;  // share of equal first choices
};

Divergence divergence(const Model& before, const Model& after, const NamedTensors& inputs);

}  // namespace jogak
