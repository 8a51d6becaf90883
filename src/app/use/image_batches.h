// Image files as batches for a model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/image_data.h"

namespace jogak {

// Gives the batches to `run`: pixels [B, channels, height, width], and the name of each image.
class ImageBatches {
 public:
  using Take = std::function<void(const std::vector<std::string>& names, const Tensor& pixels)>;
  ImageBatches(ImageInput input, size_t rows, Take run);

  // PNG, JPEG or IDX, of which every image is taken and called "file#number".
  void add_file(const std::string& path);
  void finish();  // what is left

 private:
  void add(const Image& image, std::string name);

  ImageInput input_;
  size_t rows_;
  Take run_;
  std::vector<std::vector<uint8_t>> waiting_;
  std::vector<std::string> names_;
};

}  // namespace jogak
