// Images and what is said of them: files that a recipe or a command names, and how well a model
// tells which go together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/models/model.h"
#include "app/train/recipe.h"
#include "data/caption_data.h"
#include "data/labelled_text.h"
#include "text/tokenizer.h"
#include "train/task.h"

namespace jogak {

// Sentences, and of each the image it belongs to: a file's name, or the number of a generated one.
struct Captions {
  LabelledTexts rows;  // labels are the images
  bool made = false;
  uint64_t seed = 0;  // of generated ones
  bool held_out = false;
  size_t size() const { return rows.size(); }
};

struct CaptionParts {
  Captions train, valid;
};
// A table with a column of images, named from the table's folder on, and one of sentences; .csv,
// .tsv, .txt or .jsonl. Without a file to validate with, all sentences of an image are on one side.
Captions read_captions(const std::string& file, const DataRecipe& data);
Captions generated_captions(int64_t count, uint64_t seed, bool held_out);
CaptionParts recipe_captions(const DataRecipe& data);
// The files of the images, each once, in the order of their first sentence.
std::vector<std::string> caption_images(const Captions& captions);

// As the model sees both. Texts longer than `context` are cut, their end stays.
CaptionData caption_data(const Captions& captions, const ImageInput& input,
                         const Tokenizer& tokenizer, int64_t context);

// Of pairs in batches: how often the own text, or image, has the highest score of the batch. Equal
// sentences stand for each other.
struct MatchScores {
  double loss = 0;  // mean over the pairs
  int64_t pairs = 0, texts_found = 0, images_found = 0;
  double image_to_text() const { return static_cast<double>(texts_found) / pairs_or_one(); }
  double text_to_image() const { return static_cast<double>(images_found) / pairs_or_one(); }

 private:
  double pairs_or_one() const { return static_cast<double>(pairs > 0 ? pairs : 1); }
};
MatchScores score_matches(const Model& model, const CaptionData& data, int64_t batch, Run& run,
                          const std::function<void(int64_t)>& progress = {});

struct MatchTaskOptions {
  int64_t batch = 16;
  std::string metric = "loss";  // or "accuracy": the own text of an image among those of a batch
  std::function<void(const std::string& directory)> save_more = {};
};
// `model` and both parts must outlive the task.
TrainTask match_task(const Model& model, const CaptionData& train, const CaptionData& valid,
                     const MatchTaskOptions& options);

}  // namespace jogak
