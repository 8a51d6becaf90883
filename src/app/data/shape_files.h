// Generated pictures as files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

struct ShapeFiles {
  std::string out;  // a folder, made when it is missing
  int64_t count = 0;
  uint64_t seed = 1;
  bool held_out = false;
};
// OUT/circle/000000.png and so on, one folder for each class; the bytes written.
int64_t write_shape_folders(const ShapeFiles& what);
inline constexpr char kIdxImages[] = "images-idx3-ubyte", kIdxLabels[] = "labels-idx1-ubyte";
// OUT/images-idx3-ubyte and OUT/labels-idx1-ubyte.
int64_t write_shape_idx(const ShapeFiles& what);

// The first pictures, drawn with characters: 14 lines and an empty one each.
std::vector<std::string> drawn_shapes(int64_t count, uint64_t seed);

}  // namespace jogak
