// Matrices of floats laid out for products (DType::packed, like small integers in packed.h): the
// same numbers, in the order in which a product of few rows meets them, so that it reads memory
// from front to back.
//
//   f32    tiles of 48 rows, the last of 16, 32 or 48: of each column the tile's rows side by side
//   bf16   tiles of four rows, in blocks of 32 columns: of each block row after row
//
// Rows and columns that fill up tiles and blocks are zeros.
#pragma once

#include <algorithm>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

struct FloatTiles {
  static constexpr int64_t kHead = 128;                       // bytes before the numbers
  static constexpr int64_t kRows = 48, kUnit = 16;            // f32
  static constexpr int64_t kShortRows = 4, kShortBlock = 32;  // bf16

  // What lies at the start, in the places of a PackedLayout.
  int64_t rows = 0, cols = 0, unused = 0;
  int32_t bits = 0;  // 16 or 32

  // Rows of the f32 tile that begins at `row`, filled up.
  static int64_t width(int64_t rows, int64_t row) {
    return std::min(kRows, (rows - row + kUnit - 1) / kUnit * kUnit);
  }
  // Rows and columns of a bf16 matrix, filled up.
  static int64_t short_rows(int64_t rows) {
    return (rows + kShortRows - 1) / kShortRows * kShortRows;
  }
  static int64_t padded(int64_t cols) {
    return (cols + kShortBlock - 1) / kShortBlock * kShortBlock;
  }
};

// The rows of all parts, one part behind the other: each [rows, cols] in f32 or bf16, all in the
// same type, at any strides, on the CPU.
Tensor tiled(const std::vector<Tensor>& parts);

FloatTiles float_tiles(const void* data);
// Whether a packed tensor is such a matrix.
bool holds_floats(const void* data);

// All numbers of a matrix that tiled() made, in the order in which they lie: f32 or bf16 [count].
Tensor tile_values(const Tensor& tiles);

// Row `row` in f32, for unpack_row.
void untile_row(const void* data, int64_t row, float* out);

}  // namespace jogak
