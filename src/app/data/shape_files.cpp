#include "app/data/shape_files.h"

#include <cstdio>
#include <string_view>

#include "base/file.h"
#include "base/unwaited.h"
#include "data/idx_file.h"
#include "data/make/shapes.h"

namespace jogak {
namespace {

Split split_of(const ShapeFiles& what) { return what.held_out ? Split::held_out : Split::train; }

}  // namespace

int64_t write_shape_folders(const ShapeFiles& what) {
  for (const std::string& name : shape_names()) make_directories(join_path(what.out, name));
  int64_t bytes = 0;
  for (int64_t i = 0; i < what.count; ++i) {
    const ShapePicture one = make_shape(i, what.seed, split_of(what));
    char number[32];
    std::snprintf(number, sizeof number, "%06lld.png", static_cast<long long>(i));
    const std::string png = encode_png(one.image);
    const std::string& folder = shape_names()[static_cast<size_t>(one.label)];
    write_unwaited(join_path(join_path(what.out, folder), number), png);
    bytes += static_cast<int64_t>(png.size());
  }
  return bytes;
}

int64_t write_shape_idx(const ShapeFiles& what) {
  IdxFile images{{what.count, kShapeSide, kShapeSide}, {}}, labels{{what.count}, {}};
  for (int64_t i = 0; i < what.count; ++i) {
    const ShapePicture one = make_shape(i, what.seed, split_of(what));
    images.values.insert(images.values.end(), one.image.pixels.begin(), one.image.pixels.end());
    labels.values.push_back(static_cast<uint8_t>(one.label));
  }
  make_directories(what.out);
  const std::string pictures = idx_bytes(images), names = idx_bytes(labels);
  write_file(join_path(what.out, kIdxImages), pictures);
  write_file(join_path(what.out, kIdxLabels), names);
  return static_cast<int64_t>(pictures.size() + names.size());
}

std::vector<std::string> drawn_shapes(int64_t count, uint64_t seed) {
  constexpr std::string_view kInk = " .:-=+*#%@";
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i) {
    const ShapePicture one = make_shape(i, seed, Split::train);
    const auto at = [&](int64_t y, int64_t x) {
      return int{one.image.pixels[static_cast<size_t>(y * kShapeSide + x)]};
    };
    for (int64_t y = 0; y < kShapeSide; y += 2) {  // a character is twice as high as wide
      std::string line;
      for (int64_t x = 0; x < kShapeSide; ++x)
        line += kInk[static_cast<size_t>((at(y, x) + at(y + 1, x)) * 10 / 512)];
      out.push_back(std::move(line));
    }
    out.push_back(shape_names()[static_cast<size_t>(one.label)]);
  }
  return out;
}

}  // namespace jogak
