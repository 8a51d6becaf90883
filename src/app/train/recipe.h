// A recipe: the full settings of a training run, read from TOML, changed from the command line,
// and written into the run's directory as it was run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "train/learn_options.h"

namespace jogak {

inline constexpr char kCommandLine[] = "--set ";  // with which places of settings begin there

struct ModelRecipe {
  std::string from;             // a model directory to go on from; empty: a fresh model
  std::string family = "gpt2";  // of a fresh model
  std::string preset = "tiny";
  std::vector<Json::Member> settings;  // Hugging Face's configuration keys
  // Where they stood, for errors: "r.toml: line 7" or "--set model.n_embd=64" for each key.
  std::vector<std::pair<std::string, std::string>> places = {};
};

struct TokenizerRecipe {
  std::string from;           // a directory or file; empty: trained on the training text
  std::string type = "char";  // char, bpe; for pairs unigram, for BERT wordpiece
  int64_t vocab_size = 8192;  // of bpe and unigram
  bool shared = true;         // pairs: one vocabulary for both sides
  bool normalize = true;      // pairs: NFKC and single spaces
  // pairs: as a tokenizer of many languages names them; empty: as it says itself
  std::string source_lang = {}, target_lang = {};
};

struct DataRecipe {
  // text: one long text; lines: "prompt = answer" lines; pairs: sentences and translations;
  // masked, masked-lines: a text or lines with hidden tokens; labels: texts with a label; tags:
  // words with a tag each; images: a folder for each class, or IDX files; captions: images with a
  // sentence each; series: measurements in time
  std::string kind = "text";
  std::string train, valid;  // files; valid empty: the last valid_share of train. Pairs: TSV
  std::string source, target, valid_source, valid_target;  // pairs: two files, line by line
  int64_t source_column = 0, target_column = 1;            // pairs: of the TSV, from 0
  double valid_share = 0.1;
  std::string make;  // "dates", "sort", "shapes", "series": generated, no file
  int64_t count = 20000, valid_count = 500;  // generated lines
  int64_t longest = 8;                       // sort: most items of a line
  uint64_t seed = 1;                         // of generated data and its held-out part
  std::string separator = " = ";             // of lines
  double mask_share = 0.15;                  // masked: how many tokens are hidden
  // masked: a model directory whose guesses stand in for what is hidden, or "random"; a model then
  // learns to find them. Empty: it learns what was hidden.
  std::string generator = {};
  std::string text_column = "text", label_column = "label";  // labels: of the table
  std::string image_column = "image";                        // captions: of the table
  std::string class_order = "sorted";                        // labels: or "first", as they come
  std::string train_labels, valid_labels;  // images: of IDX files; empty: by the images' name
  std::string date_column = "date";        // series
  std::string series;                      // series: which columns, "a, b"; empty: all
  std::string missing = "ffill";           // series: what becomes of cells without a value
  // series: rows of each part, in time; all 0: 70, 10 and 20 %
  int64_t train_rows = 0, valid_rows = 0, test_rows = 0;
  std::string where;  // told when a file is missing: where to get it
};

// What every run has, and what belongs to some kinds of data and of models.
struct TrainRecipe : LearnOptions {
  int64_t context = 0;       // most tokens of an example; 0: the model's
  int64_t batch_tokens = 0;  // pairs: most tokens of a side of a batch; 0: `batch` sentences
  double label_smoothing = 0;
  std::string metric = "loss";        // what decides which weights are best
  std::string bleu_tokenize = "13a";  // of the metric bleu
  int64_t lora_rank = 0;     // 0: every weight learns; else adapters of this rank, of model.from
  double lora_alpha = 0;     // their scale is alpha / rank; 0: twice the rank
  std::string lora_targets;  // "q_proj, v_proj"; empty: the family's usual
  std::string off;  // parts that training does without, as `ablate --off` names them: "mask"
  std::string dtype = "f32";
};

// What `jogak study` does with the recipe unless it is told otherwise.
struct StudyRecipe {
  std::string vary;  // "model.heads=1,8; train.warmup=0,50"
  int64_t seeds = 1;
  std::string test;     // "train.context=64": with what trained models are measured once more
  bool fit = false;     // a law of size and data is fitted to the losses
  std::string predict;  // "model.d_model=96; train.steps=2000": the run that the law foretells
  bool operator==(const StudyRecipe&) const = default;
};

struct Recipe {
  ModelRecipe model;
  TokenizerRecipe tokenizer;
  DataRecipe data;
  TrainRecipe train;
  StudyRecipe study = {};
};

// Errors name the file, the line and, for an unknown key, the nearest known one.
// A file; where there is none, the built-in recipe of that name: "bert-cls",
// "recipes/bert-cls.toml".
Recipe read_recipe(const std::string& path);
Recipe parse_recipe(const std::string& toml, const std::string& name);
// FormatError for values that cannot be trained with; the two above ask it, and training does.
void check_recipe(const Recipe& recipe, const std::string& name);
// "train.lr=3e-4": as the command line's --set, in any order. Data that they name takes the place
// of data that the recipe names or makes.
void apply_settings(Recipe& recipe, const std::vector<std::string>& settings);
std::string to_toml(const Recipe& recipe);
// What a directory was trained with: its recipe.toml. Of one that holds none, or one that cannot be
// read any more, the defaults.
Recipe run_recipe(const std::string& directory);
std::vector<std::string> split_list(const std::string& text);  // "a, b" -> a and b

}  // namespace jogak
