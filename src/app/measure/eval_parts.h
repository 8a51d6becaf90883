// Scoring by what a model does.
#pragma once

#include <algorithm>
#include <string>

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

// Of `all` items those that are scored, and what the progress over them is called.
inline int64_t scored(int64_t all, const EvalOptions& c) {
  return c.most > 0 ? std::min(all, c.most) : all;
}
inline std::string progress_title(const EvalOptions& c) {
  if (!c.title.empty()) return c.title;
  return c.lang == Lang::ko ? "평가" : "evaluating";
}

PairEval evaluate_pairs(const EvalTask& task, const Model& model);
EvalResult evaluate_encoder(const EvalTask& task, const Model& model);

}  // namespace jogak
