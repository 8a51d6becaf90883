#include "data/image_data.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "data/idx_file.h"

namespace jogak {
namespace {

constexpr uint64_t kMostPixelBytes = uint64_t{8} << 30;

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> out;
  bool loose = false;
  for (const std::string& name : list_directory(folder)) {
    if (name.starts_with('.')) continue;
    if (is_directory(join_path(folder, name)))
      out.push_back(name);
    else
      loose = loose || named_as_image(name);
  }
  ensure<FormatError>(!out.empty(), folder,
                      loose ? ": found images, wanted a folder for each class with them inside"
                            : ": found no folder, wanted one for each class");
  return out;
}

void check_input(const ImageInput& in) {
  const auto fits = [&](const std::vector<double>& v) {
    return v.size() == 1 || static_cast<int64_t>(v.size()) == in.channels;
  };
  ensure<Error>(in.height >= 1 && in.width >= 1 && (in.channels == 1 || in.channels == 3) &&
                    fits(in.mean) && fits(in.deviation),
                "images of ", in.height, " x ", in.width, " x ", in.channels, " with ",
                in.mean.size(), " means and ", in.deviation.size(),
                " deviations: wanted 1 or 3 channels, and one number for all or one for each");
}

}  // namespace

bool named_as_image(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower.ends_with(".png") || lower.ends_with(".jpg") || lower.ends_with(".jpeg");
}

std::vector<uint8_t> fitted(const Image& image, const ImageInput& input) {
  const Image seen = with_channels(image, input.channels);
  if (input.shortest == 0 && input.whole_height == 0)
    return resized(seen, input.height, input.width, input.filter).pixels;
  int64_t height = input.whole_height, width = input.whole_width;
  if (input.shortest > 0) {
    const int64_t shorter = std::min(seen.height, seen.width);
    const auto side = [&](int64_t length) {  // as transformers: in floats, cut off
      return length == shorter ? input.shortest
                               : static_cast<int64_t>(static_cast<double>(input.shortest * length) /
                                                      static_cast<double>(shorter));
    };
    height = side(seen.height), width = side(seen.width);
  }
  return cropped(resized(seen, height, width, input.filter), input.height, input.width).pixels;
}

void to_model(std::span<const uint8_t> bytes, const ImageInput& in, std::span<float> to) {
  const auto area = static_cast<size_t>(in.height * in.width);
  const auto channels = static_cast<size_t>(in.channels);
  for (size_t c = 0; c < channels; ++c) {
    const double mean = in.mean[in.mean.size() == 1 ? 0 : c];
    const double deviation = in.deviation[in.deviation.size() == 1 ? 0 : c];
    for (size_t i = 0; i < area; ++i)
      to[c * area + i] =
          static_cast<float>((bytes[i * channels + c] * in.rescale - mean) / deviation);
  }
}

ImageSet::ImageSet(ImageInput input, std::vector<std::string> classes, std::string name)
    : input_(std::move(input)), classes_(std::move(classes)), name_(std::move(name)) {
  check_input(input_);
}

void ImageSet::add_bytes(std::span<const uint8_t> bytes, int64_t label) {
  ensure<FormatError>(pixels_.size() + bytes.size() <= kMostPixelBytes, name_, ": image ",
                      size() + 1, ": found more than ", kMostPixelBytes >> 30,
                      " GiB of pixels, wanted fewer or smaller images");
  pixels_.insert(pixels_.end(), bytes.begin(), bytes.end());
  labels_.push_back(label);
}

void ImageSet::add(const Image& image, int64_t label) {
  ensure<Error>(label >= 0 && label < static_cast<int64_t>(classes_.size()), name_, ": label ",
                label, " of ", classes_.size(), " classes");
  add_bytes(fitted(image, input_), label);
}

ImageSet ImageSet::from_folders(const std::string& folder, const ImageInput& input,
                                const std::vector<std::string>& classes) {
  const std::vector<std::string> names = folders_in(folder);
  ImageSet out(input, classes.empty() ? names : classes, folder);
  int64_t others = 0;
  for (const std::string& name : names) {
    const auto at = std::find(out.classes_.begin(), out.classes_.end(), name);
    ensure<FormatError>(at != out.classes_.end(), folder, ": found a folder \"", name,
                        "\", wanted one of the ", classes.size(),
                        " classes, the first of which is \"", out.classes_[0], "\"");
    const std::string place = join_path(folder, name);
    for (const std::string& file : list_directory(place)) {
      if (file.starts_with('.')) continue;
      if (!named_as_image(file)) {
        ++others;
        continue;
      }
      out.add(read_image(join_path(place, file)), at - out.classes_.begin());
    }
  }
  if (others > 0)
    log_warning(folder, ": ", others, " files are passed over: their names end neither with .png ",
                "nor with .jpg");
  ensure<FormatError>(out.size() > 0, folder, ": found no PNG or JPEG image in its folders");
  return out;
}

ImageSet ImageSet::from_idx(const std::string& images, const std::string& labels,
                            const ImageInput& input, const std::vector<std::string>& classes) {
  const IdxFile pictures = read_idx(images), names = read_idx(labels);
  const std::vector<int64_t>& shape = pictures.shape;
  const bool colour = shape.size() == 4 && shape[3] == 3;
  ensure<FormatError>((shape.size() == 3 || colour) && shape[0] >= 1 && shape[1] >= 1 &&
                          shape[2] >= 1 && shape[1] * shape[2] <= kMostPixels,
                      images, ": byte 4: found ", shape.size(),
                      " sides, wanted images, height and width, none of them 0");
  ensure<FormatError>(names.shape.size() == 1, labels, ": byte 3: found ", names.shape.size(),
                      " sides, wanted one, the labels");
  ensure<FormatError>(names.shape[0] == shape[0], labels, ": byte 4: found ", names.shape[0],
                      " labels, wanted ", shape[0], " as ", images, " has images");
  std::vector<std::string> known = classes;
  const int highest = *std::max_element(names.values.begin(), names.values.end());
  if (known.empty())
    for (int i = 0; i <= highest; ++i) known.push_back(std::to_string(i));
  ensure<FormatError>(highest < static_cast<int>(known.size()), labels, ": found label ", highest,
                      ", wanted 0 to ", known.size() - 1);
  ImageSet out(input, std::move(known), images);
  Image one{shape[1], shape[2], colour ? 3 : 1, {}};
  const int64_t bytes = one.height * one.width * one.channels;
  for (int64_t i = 0; i < shape[0]; ++i) {
    const auto at = pictures.values.begin() + i * bytes;
    one.pixels.assign(at, at + bytes);
    out.add(one, names.values[static_cast<size_t>(i)]);
  }
  return out;
}

ImageSet ImageSet::some(const std::vector<int64_t>& places) const {
  ImageSet out(input_, classes_, name_);
  const auto each = static_cast<size_t>(input_.values());
  for (const int64_t place : places) {
    ensure<Error>(place >= 0 && place < size(), name_, ": image ", place, " asked for, there are ",
                  size());
    const auto i = static_cast<size_t>(place);
    out.add_bytes(std::span(pixels_).subspan(i * each, each), labels_[i]);
  }
  return out;
}

ImageBatch ImageSet::batch(std::span<const Pick> picks) const {
  ensure<Error>(!picks.empty(), "a batch of no examples asked for");
  const auto each = static_cast<size_t>(input_.values());
  std::vector<float> pixels(picks.size() * each);
  std::vector<int64_t> targets;
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < size(), name_, ": image ", pick.index,
                  " asked for, there are ", size());
    const auto i = static_cast<size_t>(pick.index);
    to_model(std::span(pixels_).subspan(i * each, each), input_,
             std::span(pixels).subspan(targets.size() * each, each));
    targets.push_back(labels_[i]);
  }
  const auto rows = static_cast<int64_t>(picks.size());
  return {from_values(pixels, {rows, input_.channels, input_.height, input_.width}),
          from_values(targets, {rows}), rows};
}

ImageBatch ImageSet::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, size()); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
