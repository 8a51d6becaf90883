#include "app/data/labelled.h"

#include "app/data/text_data.h"
#include "base/file.h"
#include "base/hash/crc32c.h"
#include "base/random.h"
#include "data/idx_file.h"
#include "data/make/series.h"
#include "data/make/shapes.h"

namespace jogak {
namespace {

void check_parts(size_t train, size_t valid, const std::string& name) {
  ensure<FormatError>(train > 0 && valid > 0, name, ": found ", train + valid,
                      " texts, too few to hold some out for validation");
}

LabelledParts held_apart(const LabelledTexts& all, double share, uint64_t seed) {
  std::vector<int64_t> train, valid;
  for (size_t i = 0; i < all.size(); ++i)
    (is_held_out(all.texts[i], share, seed) ? valid : train).push_back(static_cast<int64_t>(i));
  check_parts(train.size(), valid.size(), all.name);
  return {some_texts(all, train), some_texts(all, valid)};
}

bool is_folder(const std::string& path) { return is_directory(path); }

std::string labels_for(const std::string& images, const std::string& labels) {
  return labels.empty() ? idx_labels_beside(images) : labels;
}

}  // namespace

bool is_held_out(const std::string& text, double share, uint64_t seed) {
  constexpr uint64_t kStream = 0x74657874;
  return philox(seed, kStream, crc32c(text))[0] < share * 4294967296.0;
}

LabelledTexts generated_texts(const std::string& make, int64_t count, uint64_t seed,
                              bool held_out) {
  ensure<UsageError>(make == "dates", "generated data '", make,
                     "' has no labels for texts; wanted dates");
  LabelledTexts out{{}, {}, {}, make};
  int64_t line = 0;
  for (const std::string& pair : generated_lines(make, count, seed, held_out)) {
    const size_t at = pair.rfind(" = ");
    out.texts.push_back(pair.substr(0, at));
    out.labels.push_back(pair.substr(at + 3 + 5, 2));  // 2031-05-09
    out.lines.push_back(++line);
  }
  return out;
}

LabelledParts recipe_labelled(const DataRecipe& d) {
  if (!d.make.empty())
    return {generated_texts(d.make, d.count, d.seed, false),
            generated_texts(d.make, d.valid_count, d.seed, true)};
  const LabelColumns columns{d.text_column, d.label_column, d.where};
  LabelledTexts train = read_labelled_texts(d.train, columns);
  if (d.valid.empty()) return held_apart(train, d.valid_share, d.seed);
  return {std::move(train), read_labelled_texts(d.valid, columns)};
}

TaggedParts recipe_tagged(const DataRecipe& d) {
  TaggedTexts all = read_tagged_texts(d.train, d.where);
  if (!d.valid.empty()) return {std::move(all), read_tagged_texts(d.valid, d.where)};
  TaggedParts out{{{}, all.name}, {{}, all.name}};
  for (TaggedTexts::Sentence& one : all.sentences) {
    const bool apart = is_held_out(joined_words(one), d.valid_share, d.seed);
    (apart ? out.valid : out.train).sentences.push_back(std::move(one));
  }
  check_parts(out.train.sentences.size(), out.valid.sentences.size(), all.name);
  return out;
}

QuestionTexts generated_questions(const std::string& make, int64_t count, uint64_t seed,
                                  bool held_out) {
  ensure<UsageError>(make == "dates", "generated data '", make,
                     "' has no questions with answers; wanted dates");
  return date_questions(generated_lines(make, count, seed, held_out));
}

QuestionParts recipe_questions(const DataRecipe& d) {
  if (!d.make.empty())
    return {generated_questions(d.make, d.count, d.seed, false),
            generated_questions(d.make, d.valid_count, d.seed, true)};
  QuestionTexts all = read_questions(d.train, d.where);
  if (!d.valid.empty()) return {std::move(all), read_questions(d.valid, d.where)};
  QuestionParts out{{{}, all.name}, {{}, all.name}};
  for (Question& one : all.questions) {
    const bool apart = is_held_out(one.context, d.valid_share, d.seed);
    (apart ? out.valid : out.train).questions.push_back(std::move(one));
  }
  check_parts(out.train.questions.size(), out.valid.questions.size(), all.name);
  return out;
}

ImageSet open_images(const std::string& name, const std::string& labels, const ImageInput& input,
                     const std::vector<std::string>& classes, const std::string& where) {
  const std::string path = find_data(name, where);
  if (is_folder(path)) return ImageSet::from_folders(path, input, classes);
  return ImageSet::from_idx(path, find_data(labels_for(path, labels)), input, classes);
}

ImageSet generated_images(int64_t count, uint64_t seed, bool held_out, const ImageInput& input) {
  ImageSet out(input, shape_names(), "shapes");
  for (int64_t i = 0; i < count; ++i) {
    const ShapePicture one = make_shape(i, seed, held_out ? Split::held_out : Split::train);
    out.add(one.image, one.label);
  }
  return out;
}

std::vector<std::string> recipe_image_classes(const DataRecipe& d) {
  if (!d.make.empty()) return shape_names();
  const std::string path = find_data(d.train, d.where);
  if (!is_folder(path)) {
    int highest = 0;
    for (const uint8_t label : read_idx(labels_for(path, d.train_labels)).values)
      highest = std::max<int>(highest, label);
    std::vector<std::string> out;
    for (int i = 0; i <= highest; ++i) out.push_back(std::to_string(i));
    return out;
  }
  std::vector<std::string> out;
  for (const std::string& name : list_directory(path))
    if (!name.starts_with('.') && is_folder(join_path(path, name))) out.push_back(name);
  return out;
}

static bool is_coloured(const Image& image) {
  for (size_t i = 0; image.channels == 3 && i + 2 < image.pixels.size(); i += 3)
    if (image.pixels[i] != image.pixels[i + 1] || image.pixels[i] != image.pixels[i + 2])
      return true;
  return false;
}

bool has_colour(const DataRecipe& d) {
  constexpr size_t kLooked = 8;  // of each class
  if (!d.make.empty()) return false;
  const std::string path = find_data(d.train, d.where);
  if (!is_folder(path)) return read_idx(path).shape.size() == 4;
  for (const std::string& name : recipe_image_classes(d)) {
    const std::string folder = join_path(path, name);
    size_t looked = 0;
    for (const std::string& file : list_directory(folder)) {
      if (file.starts_with('.') || !named_as_image(file)) continue;
      if (is_coloured(read_image(join_path(folder, file)))) return true;
      if (++looked == kLooked) break;
    }
  }
  return false;
}

ImageParts recipe_images(const DataRecipe& d, const ImageInput& input) {
  if (!d.make.empty())
    return {generated_images(d.count, d.seed, false, input),
            generated_images(d.valid_count, d.seed, true, input)};
  ImageSet all = open_images(d.train, d.train_labels, input, {}, d.where);
  if (!d.valid.empty()) {
    ImageSet valid = open_images(d.valid, d.valid_labels, input, all.classes(), d.where);
    return {std::move(all), std::move(valid)};
  }
  const HeldOut parts = hold_out(all.size(), d.valid_share, d.seed);
  return {all.some(parts.train), all.some(parts.valid)};
}

SeriesFile recipe_series(const DataRecipe& d) {
  if (!d.make.empty()) return {"series", {make_series(d.count, d.seed, Split::train)}, false};
  return read_series(d.train,
                     {d.date_column, split_list(d.series), missing_named(d.missing), d.where});
}

}  // namespace jogak
