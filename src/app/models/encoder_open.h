// The model a training run of a classifier, a masked model or a forecast begins with: fresh, or
// a directory's with the head the task needs.
#pragma once

#include <string>
#include <vector>

#include "app/models/model.h"
#include "app/train/recipe.h"

namespace jogak {

struct EncoderStart {
  Model model;
  std::vector<std::string> renewed;  // weights that the directory has not, or not for this task
};

// The family's head for `task`, if it has one. `changes` are what the data decides: labels,
// vocabulary, number of series. A fresh model has the recipe's settings and these; a directory
// keeps its own configuration but for these. Weights of a directory that do not fit the changed
// configuration start anew if they belong to a head; others are an error. What starts anew is told
// in one line.
EncoderStart start_encoder(const Recipe& recipe, EncoderTask task,
                           const std::vector<Json::Member>& changes, ModelPlace place);

// The labels' names, as configurations have them.
std::vector<Json::Member> label_settings(const std::vector<std::string>& classes);

}  // namespace jogak
