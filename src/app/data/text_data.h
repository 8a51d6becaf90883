// The data of a recipe: files or generated lines, the tokenizer that goes with them, batches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/models/model.h"
#include "app/train/recipe.h"
#include "data/batch.h"
#include "data/token_file.h"
#include "text/tokenizer.h"
#include "train/task.h"

namespace jogak {

// A data file of a recipe, held, which must be UTF-8.
TextFile recipe_text(const std::string& name, const DataRecipe& data);

// The lines a recipe names or makes, and those held out of them.
struct RecipeLines {
  std::vector<std::string> train, valid;
};
RecipeLines recipe_lines(const DataRecipe& data);

// What was read of a recipe's text, so that it is read once: filled in by who needs it first.
struct RecipeTexts {
  std::optional<TextFile> train = {}, valid = {};
  std::optional<RecipeLines> lines = {};
};

// The ids to train on and to validate with. A text that is not held is read once.
std::pair<TokenFile, TokenFile> token_files(const Recipe& recipe, const Tokenizer& tokenizer,
                                            const std::string& cache, const RecipeTexts& texts);

// A tokenizer of the recipe's: loaded, or trained on its training text with an end token, whose
// role is "eos_token".
Tokenizer recipe_tokenizer(const Recipe& recipe, RecipeTexts& texts);
inline constexpr char kEndToken[] = "<|endoftext|>";

// Ids of a text alone: special tokens in it are text, nothing is put around it. `tokenizer` must
// outlive the function.
Encode plain_encode(const Tokenizer& tokenizer);

// Examples to train on and to validate with, whichever kind the recipe names.
class TextData {
 public:
  virtual ~TextData() = default;
  virtual int64_t examples() const = 0;
  virtual Batch batch(std::span<const Pick> picks) const = 0;
  // Validation items in order; fewer than `count` at the end.
  virtual int64_t valid_items() const = 0;
  virtual Batch valid_batch(int64_t first, int64_t count) const = 0;
  virtual std::string describe() const = 0;  // one line for a person; changes when the data does
};

// `cache` is where token files are kept (empty: in memory); `context` bounds an example.
std::unique_ptr<TextData> open_text_data(const Recipe& recipe, const Tokenizer& tokenizer,
                                         int64_t context, const std::string& cache,
                                         RecipeTexts& texts);

// The lines of a generated set: "dates" or "sort", of at most `longest` items.
std::vector<std::string> generated_lines(const std::string& make, int64_t count, uint64_t seed,
                                         bool held_out, int64_t longest = 8);

// Everything a trainer needs: `model`, `data` and `tokenizer` must outlive it.
TrainTask text_task(const Model& model, const TextData& data, const Tokenizer& tokenizer,
                    const TrainRecipe& recipe);

}  // namespace jogak
