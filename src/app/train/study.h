// `jogak study`: trains variants of a recipe and compares them.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

struct StudyOptions {
  Recipe recipe;
  std::vector<std::string> vary;  // "train.off=none,mask,scale"; several: every combination
  int64_t seeds = 1;              // runs of each variant, seeds one apart
  std::string out;
  bool overwrite = false;  // an earlier study
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
};

struct StudyVariant {
  std::string name;                   // "train.off=mask, model.n_head=1"
  std::vector<std::string> settings;  // as apply_settings takes them
};

// Every combination, the last list changing fastest; without a list, training with and without the
// mask. UsageError for a list that cannot be read and for more than 64 variants.
std::vector<StudyVariant> study_variants(const std::vector<std::string>& vary);

struct StudyNumbers {  // over the seeds
  double mean = 0, low = 0, high = 0;
};
StudyNumbers spread_of(const std::vector<double>& values);

struct StudySample {  // of lines with a prompt: what was written after it
  std::string prompt, wanted, written = {};
};

struct StudiedVariant {
  StudyVariant variant;
  std::vector<double> losses = {}, whole = {};        // of each seed; NaN: was not validated
  std::vector<std::pair<double, double>> curve = {};  // of the first seed: step and loss
  std::optional<StudySample> sample = {};             // of the first seed

  // A part that training did without (train.off) is off in the first and on again in the second.
  StudyNumbers valid_loss() const { return spread_of(losses); }
  StudyNumbers whole_loss() const { return spread_of(whole); }
};
struct Study {
  int64_t seeds = 1;
  std::vector<StudiedVariant> variants = {};
};

// Writes OUT/study.json, which holds to_json, and OUT/curves.svg. A stopped run ends the study with
// Stopped.
Study run_study(const StudyOptions& options);

std::string study_text(const Study& study, Lang lang);  // a table, and curves as lines
std::string study_svg(const Study& study, Lang lang);
// {"schema","seeds","variants":[{"name","settings","valid_loss":{"mean","low","high"},"losses":[],
// "whole_loss":{...},"sample":{"prompt","wanted","written"},"curve":[[step,loss],...]}]}
Json to_json(const Study& study);

}  // namespace jogak
