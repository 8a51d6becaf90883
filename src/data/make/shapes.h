// Generated pictures: a bright circle, square or triangle, larger or smaller, anywhere, a little
// askew, filled or as a line, on a dark ground, with noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/image.h"
#include "data/split.h"

namespace jogak {

inline constexpr int64_t kShapeSide = 28;  // pixels

const std::vector<std::string>& shape_names();  // circle, square, triangle: the classes, by label

// What pictures are said to show: "a small filled circle", "a large drawn square", ..
std::vector<std::string> shape_captions();

struct ShapePicture {
  Image image;  // grey, kShapeSide x kShapeSide
  int64_t label = 0;
  std::string caption;  // one of shape_captions()
};
// Picture i follows from (seed, split, i) alone; labels take turns.
ShapePicture make_shape(int64_t index, uint64_t seed, Split split);

}  // namespace jogak
