// Scoring by what a model does.
#pragma once

#include "app/measure/eval.h"
#include "app/models/model.h"
#include "app/train/recipe.h"

namespace jogak {

// The options, and the data as the model was trained with it but for what they change.
struct EvalTask {
  EvalOptions options;
  DataRecipe data;
  bool lines() const { return data.kind.ends_with("lines") || !options.make.empty(); }
};

PairEval evaluate_pairs(const EvalTask& task, const Model& model);
EvalResult evaluate_encoder(const EvalTask& task, const Model& model);

}  // namespace jogak
