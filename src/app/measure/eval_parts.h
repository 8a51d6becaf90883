// Scoring by what a model does.
#pragma once

#include "app/measure/eval.h"
#include "app/models/model.h"

namespace jogak {

PairEval evaluate_pairs(const EvalOptions& options, const Model& model);
EvalResult evaluate_encoder(const EvalOptions& options, const Model& model);

}  // namespace jogak
