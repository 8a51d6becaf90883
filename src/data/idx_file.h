// IDX files, as MNIST has them: bytes in a box of any number of sides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct IdxFile {
  std::vector<int64_t> shape;
  std::vector<uint8_t> values;  // row-major
};

// Plain, .gz or .zst, of unsigned bytes. FormatError with the byte where it is not one.
IdxFile read_idx(const std::string& file, const std::string& where_to_get = "");
IdxFile parse_idx(std::string_view bytes, const std::string& name);
std::string idx_bytes(const IdxFile& file);

// Where the labels of "train-images-idx3-ubyte.gz" lie: "train-labels-idx1-ubyte.gz". UsageError
// when the name does not say that it holds images.
std::string idx_labels_beside(const std::string& images);

}  // namespace jogak
