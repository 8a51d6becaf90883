// Images with a class each, at the size a model sees, as batches.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/batch.h"
#include "data/image.h"

namespace jogak {

// What is done to an image before a model sees it: preprocessor_config.json.
struct ImageInput {
  int64_t height = 0, width = 0, channels = 1;
  ImageFilter filter = ImageFilter::bilinear;
  // What the image is resized to first, if its middle is cut out of that: the length of its shorter
  // side, or both sides. All 0: it is resized to height x width.
  int64_t shortest = 0, whole_height = 0, whole_width = 0;
  double rescale = 1.0 / 255;
  std::vector<double> mean = {0.5}, deviation = {0.5};  // one each channel, or one for all

  int64_t values() const { return height * width * channels; }
};
Json to_json(const ImageInput& input);
// What leaves images of many sizes, and filters that image.h does not have, is a FormatError;
// `channels` is the model's.
ImageInput read_image_input(const Json& json, const std::string& file, int64_t channels);

// Bytes [height, width, channels] of an image brought to that size; the model's numbers of it,
// [channels, height, width], are written to `to`.
std::vector<uint8_t> fitted(const Image& image, const ImageInput& input);
void to_model(std::span<const uint8_t> bytes, const ImageInput& input, std::span<float> to);

struct ImageBatch {
  Tensor pixels;      // f32 [B, channels, height, width]
  Tensor targets;     // i64 [B]
  int64_t count = 0;  // B
};

bool named_as_image(const std::string& name);  // .png, .jpg, .jpeg

class ImageSet {
 public:
  // A folder with a folder for each class, PNG and JPEG images in it; other files are passed over
  // and counted. With `classes` (of a model) a folder of another name is an error.
  static ImageSet from_folders(const std::string& folder, const ImageInput& input,
                               const std::vector<std::string>& classes = {});
  // IDX files: images [N, H, W] or [N, H, W, 3] and labels [N]. Classes are "0", "1", .. up to the
  // highest label unless they are given.
  static ImageSet from_idx(const std::string& images, const std::string& labels,
                           const ImageInput& input, const std::vector<std::string>& classes = {});
  ImageSet(ImageInput input, std::vector<std::string> classes, std::string name);
  void add(const Image& image, int64_t label);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<int64_t>& labels() const { return labels_; }
  const ImageInput& input() const { return input_; }

  ImageSet some(const std::vector<int64_t>& places) const;
  ImageBatch batch(std::span<const Pick> picks) const;
  ImageBatch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  void add_bytes(std::span<const uint8_t> bytes, int64_t label);

  ImageInput input_;
  std::vector<std::string> classes_;
  std::string name_;
  std::vector<uint8_t> pixels_;  // [N, height, width, channels]
  std::vector<int64_t> labels_;
};

}  // namespace jogak
