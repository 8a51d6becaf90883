#include "app/data/captions.h"

#include <charconv>
#include <filesystem>
#include <map>

#include "app/data/bert_text.h"
#include "app/data/labelled.h"
#include "base/file.h"
#include "data/make/shapes.h"

namespace jogak {
namespace {

Captions some_captions(const Captions& all, const std::vector<int64_t>& places) {
  return {some_texts(all.rows, places), all.made, all.seed, all.held_out};
}

CaptionParts held_apart(const Captions& all, double share, uint64_t seed) {
  std::vector<int64_t> train, valid;
  for (size_t i = 0; i < all.size(); ++i)
    (is_held_out(all.rows.labels[i], share, seed) ? valid : train)
        .push_back(static_cast<int64_t>(i));
  ensure<FormatError>(!train.empty() && !valid.empty(), all.rows.name, ": found ", all.size(),
                      " captions, too few to hold some out for validation");
  return {some_captions(all, train), some_captions(all, valid)};
}

// Each image once, and which of them a caption belongs to.
struct ImageList {
  std::vector<std::string> names;
  std::vector<int64_t> of;
};

ImageList images_of(const Captions& captions) {
  ImageList out;
  std::map<std::string, int64_t> seen;
  for (const std::string& name : captions.rows.labels) {
    const auto [at, fresh] = seen.emplace(name, std::ssize(out.names));
    if (fresh) out.names.push_back(name);
    out.of.push_back(at->second);
  }
  return out;
}

Image made_image(const Captions& captions, const std::string& name) {
  int64_t index = 0;
  std::from_chars(name.data(), name.data() + name.size(), index);
  return make_shape(index, captions.seed, captions.held_out ? Split::held_out : Split::train).image;
}

}  // namespace

Captions read_captions(const std::string& file, const DataRecipe& d) {
  Captions out{read_labelled_texts(file, {d.text_column, d.image_column, d.where})};
  const std::filesystem::path folder =
      std::filesystem::path(find_data(file, d.where)).parent_path();
  for (std::string& image : out.rows.labels) image = (folder / image).lexically_normal().string();
  return out;
}

Captions generated_captions(int64_t count, uint64_t seed, bool held_out) {
  Captions out{{{}, {}, {}, "shapes"}, true, seed, held_out};
  for (int64_t i = 0; i < count; ++i) {
    out.rows.texts.push_back(
        make_shape(i, seed, held_out ? Split::held_out : Split::train).caption);
    out.rows.labels.push_back(std::to_string(i));
    out.rows.lines.push_back(i + 1);
  }
  return out;
}

CaptionParts recipe_captions(const DataRecipe& d) {
  if (!d.make.empty())
    return {generated_captions(d.count, d.seed, false),
            generated_captions(d.valid_count, d.seed, true)};
  Captions train = read_captions(d.train, d);
  if (d.valid.empty()) return held_apart(train, d.valid_share, d.seed);
  return {std::move(train), read_captions(d.valid, d)};
}

std::vector<std::string> caption_images(const Captions& captions) {
  return images_of(captions).names;
}

CaptionData caption_data(const Captions& captions, const ImageInput& input,
                         const Tokenizer& tokenizer, int64_t context) {
  const ImageList list = images_of(captions);
  ImageSet images(input, {"image"}, captions.rows.name);
  for (const std::string& name : list.names)
    images.add(captions.made ? made_image(captions, name) : read_image(name), 0);
  LabelData texts(
      captions.rows.texts, std::vector<int64_t>(captions.size(), 0),
      [&](std::string_view text) { return tokenizer.encode_ids(text, {.special_as_text = true}); },
      {context, token_with_role(tokenizer, "pad_token", "[PAD]")});
  return CaptionData(std::move(images), list.of, std::move(texts));
}

}  // namespace jogak
