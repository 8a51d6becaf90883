// `jogak study`: trains variants of a recipe and compares them.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

struct StudyCommand {
  Recipe recipe;
  std::vector<std::string> vary;  // "train.off=none,mask,scale"; several: every combination
  int64_t seeds = 1;              // runs of each variant, seeds one apart
  std::string out;
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
};

struct StudyVariant {
  std::string name;                   // "train.off=mask, model.n_head=1"
  std::vector<std::string> settings;  // as apply_setting takes them
};

// Every combination, the last list changing fastest; without a list, training with and without the
// mask. UsageError for a list that cannot be read and for more than 64 variants.
std::vector<StudyVariant> study_variants(const std::vector<std::string>& vary);

struct StudyNumbers {  // over the seeds
  double mean = 0, low = 0, high = 0;
};
StudyNumbers spread_of(const std::vector<double>& values);

// Writes OUT/study.json and OUT/curves.svg and gives what is in study.json:
// {"schema","variants":[{"name","settings","valid_loss":{"mean","low","high"},"losses":[],
// "whole_loss":{...},"sample":{"prompt","wanted","written"},"curve":[[step,loss],...]}]}. The
// sample is there where the data is lines with a prompt. A part that training did without
// (train.off) is off in valid_loss and on again in whole_loss. A stopped run ends the study with
// Stopped.
Json run_study(const StudyCommand& command);

std::string study_text(const Json& study, Lang lang);  // a table, and curves as lines
std::string study_svg(const Json& study, Lang lang);

}  // namespace jogak
