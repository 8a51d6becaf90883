#include "app/use/image_batches.h"

#include <filesystem>

#include "data/idx_file.h"

namespace jogak {

ImageBatches::ImageBatches(ImageInput input, size_t rows, Take run)
    : input_(std::move(input)), rows_(rows), run_(std::move(run)) {}

void ImageBatches::add_file(const std::string& path) {
  const bool idx = std::filesystem::path(path).filename().string().find("idx") != std::string::npos;
  if (!idx) return add(read_image(path), path);
  const IdxFile file = read_idx(path);
  const size_t sides = file.shape.size();
  ensure<FormatError>(sides == 3 || (sides == 4 && file.shape[3] == 3), path, ": has ", sides,
                      " sides, wanted images [number, height, width] or with 3 colours");
  Image one{file.shape[1], file.shape[2], sides == 3 ? 1 : 3, {}};
  const auto each = static_cast<ptrdiff_t>(one.height * one.width * one.channels);
  for (int64_t i = 0; i < file.shape[0]; ++i) {
    const auto from = file.values.begin() + i * each;
    one.pixels.assign(from, from + each);
    add(one, text_of(path, "#", i));
  }
}

void ImageBatches::add(const Image& image, std::string name) {
  waiting_.push_back(fitted(image, input_));
  names_.push_back(std::move(name));
  if (waiting_.size() == rows_) finish();
}

void ImageBatches::finish() {
  if (waiting_.empty()) return;
  const auto each = static_cast<size_t>(input_.values());
  std::vector<float> pixels(waiting_.size() * each);
  for (size_t b = 0; b < waiting_.size(); ++b)
    to_model(waiting_[b], input_, std::span(pixels).subspan(b * each, each));
  run_(names_, from_values(pixels, {static_cast<int64_t>(waiting_.size()), input_.channels,
                                    input_.height, input_.width}));
  waiting_.clear();
  names_.clear();
}

}  // namespace jogak
