// Matrices of small integers: how they are made of floats, and how they lie in memory for products.
// The one home of both: files (io/quantized_files.h), kernels and models read it from here.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace jogak {

// A matrix [rows, cols] whose element is scale * (code - zero), with one scale and one zero for
// every `group` columns of a row.
struct QuantizedMatrix {
  int bits = 8;       // 4 or 8
  int64_t group = 0;  // divides the columns; all of them: one scale a row
  Tensor codes;       // u8 [rows, cols], below 2^bits
  Tensor scales;      // f32 [rows, cols / group], above 0
  Tensor zeros = {};  // u8 [rows, cols / group]; undefined: 2^(bits - 1) everywhere

  int64_t rows() const { return codes.dim(0); }
  int64_t cols() const { return codes.dim(1); }
  int64_t groups() const { return scales.dim(1); }
};

// Rounded to nearest, around zero. 8 bits: the largest of a group is 127; 4 bits: of a few scales
// the one with the least squared error.
QuantizedMatrix quantized(const Tensor& matrix, int bits, int64_t group);
Tensor dequantized(const QuantizedMatrix& m);  // f32 [rows, cols]

// What lies at the start of a packed tensor. Behind it stand tiles of 32 rows, one after the other;
// a tile is blocks of columns in order, and a block 32 scales f32, 32 zeros i32 if any, then codes:
//   8 bits   four columns of 32 rows in 128 bytes, row by row; then the next four
//   4 bits   eight columns in 128 bytes: four in the lower halves of bytes, four in the upper
// So one row of values meets everything in the order in which it lies: memory gives that fastest.
// Rows and columns that fill up the last tile and block have codes of zero value.
struct PackedLayout {
  static constexpr int64_t kTile = 32;
  static constexpr int64_t kHead = 128, kLine = 128;  // bytes

  int64_t rows = 0, cols = 0, blocks = 0;
  int32_t bits = 0, block = 0;  // columns of a block: 8 to 128, divides a group
  int32_t with_zeros = 0;
  int32_t value_bits = 16;  // to which products round what meets the codes: 16 or 8

  int64_t tiles() const { return (rows + kTile - 1) / kTile; }
  int64_t codes_at() const { return with_zeros ? 2 * kLine : kLine; }  // of a block
  int64_t block_bytes() const { return codes_at() + kTile * block * bits / 8; }
  int64_t tile_bytes() const { return blocks * block_bytes(); }
  int64_t bytes() const { return kHead + tiles() * tile_bytes(); }
  int32_t zero() const { return 1 << (bits - 1); }  // where there are no zeros
};
static_assert(sizeof(PackedLayout) <= PackedLayout::kHead);

// Columns that share a scale, cut into the blocks of a layout; 0: it cannot be packed.
int64_t packed_block(int64_t group, int64_t cols);
// DType::packed [rows, cols], on the CPU.
Tensor packed(const QuantizedMatrix& m, int value_bits = 16);
PackedLayout packed_layout(const void* data);
// Row `row` in f32: cols values. The one reader of single elements.
void unpack_row(const void* data, int64_t row, float* out);
Tensor unpacked(const Tensor& matrix);  // f32 [rows, cols]

}  // namespace jogak
