// `jogak study`: trains variants of a recipe and compares them.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/train/recipe.h"
#include "app/train/study_fit.h"
#include "base/lang.h"
#include "look/inspection.h"

namespace jogak {

struct StudyOptions {
  Recipe recipe;
  // "train.off=none,mask,scale"; several: every combination; none: as the recipe says
  std::vector<std::string> vary;
  int64_t seeds = 0;  // runs of each variant, seeds one apart; 0: as the recipe says
  // "train.context=64": trained models are measured once more so; none: as the recipe says
  std::vector<std::string> test = {};
  // A law of size and data is fitted to the losses, and what it says of the run with these settings
  // is checked by that run; false and none: as the recipe says
  bool fit = false;
  std::vector<std::string> predict = {};
  std::string out;
  bool resume = false;     // finished runs stay, others go on
  bool overwrite = false;  // an earlier study
  // The program whose `train` each run is, so that its memory is its own; empty: in this process.
  std::string program = {};
  int64_t jobs = 1;  // runs at a time, of a program
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
};

struct StudyVariant {
  std::string name;                   // "train.off=mask, model.n_head=1"
  std::vector<std::string> settings;  // as apply_settings takes them
};

// Every combination, the last list changing fastest; without a list, training with and without the
// mask. "a.b+c.d=1+64,4+32" changes two keys together. UsageError for a list that cannot be read
// and for more than 64 variants.
std::vector<StudyVariant> study_variants(const std::vector<std::string>& vary);

struct StudyNumbers {  // over the seeds
  double mean = 0, low = 0, high = 0, deviation = 0;
};
StudyNumbers spread_of(const std::vector<double>& values);

struct StudySample {  // of lines with a prompt: what was written after it
  std::string prompt, wanted, written = {};
};

struct StudiedVariant {
  StudyVariant variant;
  std::vector<double> losses = {}, whole = {};  // of each seed; NaN: was not validated, or failed
  std::vector<double> scores = {};              // of train.metric; empty: the loss decided
  std::vector<double> tested = {};              // losses under StudyOptions::test; NaN: refused
  double tokens_per_s = 0, peak_rss_mb = 0;     // mean and highest over the seeds
  std::string failed = {};                      // what a run that did not end said
  std::vector<std::string> commands = {};       // that repeat the run of each seed
  std::vector<std::pair<double, double>> curve = {};  // of the first seed: step and loss
  std::optional<StudySample> sample = {};             // of the first seed

  // A part that training did without (train.off) is off in the first and on again in the second.
  StudyNumbers valid_loss() const { return spread_of(losses); }
  StudyNumbers whole_loss() const { return spread_of(whole); }
};
struct Study {
  int64_t seeds = 1;
  std::string metric = {};  // of the scores: "exact"
  std::string test = {};    // "train.context=64"
  std::vector<StudiedVariant> variants = {};
  std::optional<StudyFit> fit = {};

  // How often seeds alone would make a variant differ so much from the first; NaN: unknown.
  double p_value(size_t variant) const;
};

// Writes OUT/study.json, which holds to_json, OUT/curves.svg, .png and OUT/study.html, and with a
// fit OUT/fit.svg and .png. A stopped run ends the study with Stopped; with `resume` it goes on
// from there. A run that fails is told of in the table; a study of which all fail is an Error.
Study run_study(const StudyOptions& options);

// Tables and curves, for the terminal and for a page.
std::string study_text(const Study& study, Lang lang);
std::string study_svg(const Study& study, Lang lang);
Inspection study_page(const Study& study, Lang lang);
// {"schema","seeds","variants":[{"name","settings","valid_loss":{"mean","low","high","deviation"},
// "losses":[],"whole_loss":{...},"p_value","tested":{...},"tokens_per_s","peak_rss_mb","commands":[],
// "sample":{"prompt","wanted","written"},"curve":[[step,loss],...]}],"fit":{...}}
Json to_json(const Study& study);

}  // namespace jogak
