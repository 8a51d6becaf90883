// A recipe: the full settings of a training run, read from TOML, changed from the command line,
// and written into the run's directory as it was run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace jogak {

struct ModelRecipe {
  std::string from;             // a model directory to go on from; empty: a fresh model
  std::string family = "gpt2";  // of a fresh model
  std::string preset = "tiny";
  std::vector<Json::Member> settings;  // Hugging Face's configuration keys
};

struct TokenizerRecipe {
  std::string from;           // a directory or file; empty: trained on the training text
  std::string type = "char";  // char or bpe
  int64_t vocab_size = 8192;  // of bpe
};

struct DataRecipe {
  std::string kind = "text";  // text: one long text; lines: "prompt = answer" lines
  std::string train, valid;   // files; valid empty: the last valid_share of train
  double valid_share = 0.1;
  std::string make;                          // "dates" or "sort": generated lines, no file needed
  int64_t count = 20000, valid_count = 500;  // generated lines
  uint64_t seed = 1;                         // of generated data and its held-out part
  std::string separator = " = ";             // of lines
  std::string where;                         // told when a file is missing: where to get it
};

struct TrainRecipe {
  int64_t steps = 1000, batch = 16, accumulate = 1, context = 0;  // context 0: the model's
  std::string optimizer = "adamw", schedule = "cosine";
  double lr = 1e-3, min_lr = 1e-4;
  int64_t warmup = 100, decay_steps = 0;  // wsd: length of the fall at the end
  double beta1 = 0.9, beta2 = 0.99, eps = 1e-8, weight_decay = 0.1, momentum = 0.9, clip = 1;
  int64_t eval_every = 250, checkpoint_every = 1000, keep = 2, patience = 0, log_every = 10;
  uint64_t seed = 1337;
  std::string dtype = "f32";
};

struct Recipe {
  ModelRecipe model;
  TokenizerRecipe tokenizer;
  DataRecipe data;
  TrainRecipe train;
};

// Errors name the file, the line and, for an unknown key, the nearest known one.
Recipe read_recipe(const std::string& path);
Recipe parse_recipe(const std::string& toml, const std::string& name);
// "train.lr=3e-4": as the command line's --set.
void apply_setting(Recipe& recipe, const std::string& setting);
std::string to_toml(const Recipe& recipe);

}  // namespace jogak
