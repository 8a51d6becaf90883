// Sentence pairs and translation, for the commands: training, scoring and `jogak translate` share
// these.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "app/models/model.h"
#include "app/train/recipe.h"
#include "base/lang.h"
#include "data/pair_text.h"
#include "generate/beam.h"
#include "look/alignment.h"
#include "text/pair_tokenizer.h"

namespace jogak {

struct RecipePairs {
  Pairs train, valid;
};
RecipePairs recipe_pairs(const DataRecipe& data);

// FormatError when the tokenizer knows more tokens than the model; `directory` may be empty.
void check_fits(const Model& model, const PairTokenizer& tokenizer, const std::string& directory);

struct TranslateSettings {
  int beams = 4;
  int n_best = 1;
  double length_penalty = 1;
  EarlyStopping early_stopping = EarlyStopping::no;
  int64_t max_length = 0;  // most tokens of a translation; 0: twice the source's and fifty
  int64_t sentences = 32;  // at once
  bool alignment = false;
  int64_t alignment_layer = -1;  // -1: the mean of all
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
  bool progress = false;
};
// What a directory's generation_config.json says: num_beams, length_penalty, early_stopping.
TranslateSettings directory_settings(const std::string& directory);

struct TranslatedText {
  std::string text;
  double score = 0;
  Alignment alignment = {};  // when asked for
};
struct LineTranslation {
  std::vector<TranslatedText> texts;  // best first
  int64_t pieces = 1;                 // a line too long for the model is cut and put together
};

// An empty line stays empty. Lines longer than the model reads are cut at spaces where there are
// some; of such a line there is one translation, and no alignment.
std::vector<LineTranslation> translate_lines(const Model& model, const PairTokenizer& tokenizer,
                                             const std::vector<std::string>& lines,
                                             const TranslateSettings& settings);

// By "bleu", "chrf" or "exact", each from 0 to 100; `tokenize` is BLEU's.
double score_by(const std::string& metric, const std::string& tokenize,
                const std::vector<std::string>& found, const std::vector<std::string>& wanted);

}  // namespace jogak
