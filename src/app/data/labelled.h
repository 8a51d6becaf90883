// Texts, images and series that a recipe or a command names, found and read.
#pragma once

#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "data/image_data.h"
#include "data/labelled_text.h"
#include "data/question_text.h"
#include "data/series_data.h"
#include "data/tagged_text.h"

namespace jogak {

// The share that validates, chosen by what a text or a name says: one that occurs twice is on one
// side only.
bool is_held_out(const std::string& text, double share, uint64_t seed);

struct LabelledParts {
  LabelledTexts train, valid;
};
LabelledParts recipe_labelled(const DataRecipe& data);
// "dates": the date as people write it, and its month as the label.
LabelledTexts generated_texts(const std::string& make, int64_t count, uint64_t seed, bool held_out);

struct TaggedParts {
  TaggedTexts train, valid;
};
TaggedParts recipe_tagged(const DataRecipe& data);

struct QuestionParts {
  QuestionTexts train, valid;
};
// Of a file without another to validate with, all questions about a text are on one side.
QuestionParts recipe_questions(const DataRecipe& data);
// "dates": the year, month or day of one.
QuestionTexts generated_questions(const std::string& make, int64_t count, uint64_t seed,
                                  bool held_out);

struct ImageParts {
  ImageSet train, valid;
};
// A folder of folders, or an IDX file with its labels. A model's classes may be given.
ImageSet open_images(const std::string& name, const std::string& labels, const ImageInput& input,
                     const std::vector<std::string>& classes = {}, const std::string& where = "");
ImageSet generated_images(int64_t count, uint64_t seed, bool held_out, const ImageInput& input);
ImageParts recipe_images(const DataRecipe& data, const ImageInput& input);
std::vector<std::string> recipe_image_classes(const DataRecipe& data);
// Whether one of the first pictures of a class has colours, not three times the same grey.
bool has_colour(const DataRecipe& data);

SeriesFile recipe_series(const DataRecipe& data);

}  // namespace jogak
