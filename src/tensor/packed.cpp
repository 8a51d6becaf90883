#include "tensor/packed.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/parallel.h"
#include "tensor/lasting.h"
#include "tensor/tiles.h"

namespace jogak {
namespace {

constexpr int64_t kMostBlock = 128;

static_assert(offsetof(PackedLayout, bits) == offsetof(FloatTiles, bits));  // at the start of both

// Codes of one group, and the sum of their squared errors.
double round_group(std::span<const float> x, int bits, float scale, uint8_t* out) {
  const int zero = 1 << (bits - 1);
  double error = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const float nearest = std::nearbyint(x[i] / scale);
    const int code = static_cast<int>(
        std::clamp(nearest, static_cast<float>(-zero), static_cast<float>(zero - 1)));
    out[i] = static_cast<uint8_t>(code + zero);
    const double off = static_cast<double>(x[i]) - static_cast<double>(scale) * code;
    error += off * off;
  }
  return error;
}

float quantize_group(std::span<const float> x, int bits, uint8_t* out) {
  float most = 0;
  for (const float v : x) most = std::max(most, std::fabs(v));
  if (most < 1e-30f) most = 1;  // all zero: any scale will do, and none may be zero
  if (bits == 8) {
    round_group(x, bits, most / 127, out);
    return most / 127;
  }
  // With 16 steps it pays to cut the largest off for finer ones, by how much differs.
  float best = 0;
  double least = HUGE_VAL;
  for (const float steps : {7.f, 7.5f, 8.f, 8.5f, 9.f, 9.75f}) {
    const double error = round_group(x, bits, most / steps, out);
    if (error < least) least = error, best = most / steps;
  }
  round_group(x, bits, best, out);
  return best;
}

struct Block {  // of a tile
  std::byte* data;
  const PackedLayout* layout;

  float& scale(int64_t row) const { return reinterpret_cast<float*>(data)[row]; }
  int32_t& zero(int64_t row) const {
    return reinterpret_cast<int32_t*>(data + PackedLayout::kLine)[row];
  }
  uint8_t* codes() const { return reinterpret_cast<uint8_t*>(data + layout->codes_at()); }

  void put(int64_t row, const uint8_t* from) const {  // all columns of a row
    const int step = layout->bits == 8 ? 4 : 8;
    uint8_t* to = codes() + row * 4;
    for (int64_t c = 0; c < layout->block; c += step, to += PackedLayout::kLine)
      for (int i = 0; i < 4; ++i)
        to[i] = step == 4 ? from[c + i] : static_cast<uint8_t>(from[c + i] | from[c + 4 + i] << 4);
  }
  int get(int64_t row, int64_t col) const {
    const auto [at, shift] = place(row, col);
    return codes()[at] >> shift & ((1 << layout->bits) - 1);
  }

 private:
  std::pair<int64_t, int> place(int64_t row, int64_t col) const {
    if (layout->bits == 8) return {col / 4 * PackedLayout::kLine + row * 4 + col % 4, 0};
    return {col / 8 * PackedLayout::kLine + row * 4 + col % 4, col % 8 < 4 ? 0 : 4};
  }
};

Block block_of(const PackedLayout& layout, const void* data, int64_t row, int64_t block) {
  auto* const start = const_cast<std::byte*>(static_cast<const std::byte*>(data));
  return {start + PackedLayout::kHead + row / PackedLayout::kTile * layout.tile_bytes() +
              block * layout.block_bytes(),
          &layout};
}

PackedLayout layout_of(const QuantizedMatrix& m, int value_bits) {
  PackedLayout out;
  out.value_bits = value_bits;
  out.rows = m.rows(), out.cols = m.cols(), out.bits = m.bits;
  out.block = static_cast<int32_t>(packed_block(m.group, m.cols()));
  ensure<ShapeError>(out.block > 0, "pack: groups of ", m.group, " columns are not packed");
  out.blocks = (out.cols + out.block - 1) / out.block;
  out.with_zeros = m.zeros.defined() ? 1 : 0;
  return out;
}

void fill_row(const QuantizedMatrix& m, const PackedLayout& layout, std::byte* data, int64_t row) {
  constexpr int64_t kTile = PackedLayout::kTile;
  const bool real = row < layout.rows;
  const uint8_t* const codes = real ? m.codes.data<uint8_t>() + row * layout.cols : nullptr;
  for (int64_t b = 0; b < layout.blocks; ++b) {
    const Block block = block_of(layout, data, row, b);
    const int64_t first = b * layout.block, group = row * m.groups() + first / m.group;
    const int zero = real && layout.with_zeros ? m.zeros.data<uint8_t>()[group] : layout.zero();
    block.scale(row % kTile) = real ? m.scales.data<float>()[group] : 0;
    if (layout.with_zeros) block.zero(row % kTile) = zero;
    const int64_t there = real ? std::min<int64_t>(layout.block, layout.cols - first) : 0;
    uint8_t line[kMostBlock];
    std::memset(line, zero, sizeof(line));
    if (there > 0) std::memcpy(line, codes + first, static_cast<size_t>(there));
    block.put(row % kTile, line);
  }
}

}  // namespace

QuantizedMatrix quantized(const Tensor& matrix, int bits, int64_t group) {
  ensure<ShapeError>(matrix.rank() == 2 && group > 0 && matrix.dim(1) % group == 0,
                     "quantize: groups of ", group, " columns do not divide ", matrix.shape());
  ensure<ShapeError>(bits == 4 || bits == 8, "quantize: found ", bits, " bits, wanted 4 or 8");
  const Tensor x = cast(matrix, DType::f32);
  const int64_t rows = x.dim(0), cols = x.dim(1), groups = cols / group;
  QuantizedMatrix out{bits, group, empty(x.shape(), DType::u8), empty({rows, groups}), {}};
  parallel_for(rows, (1 << 16) / (cols + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * groups; i < end * groups; ++i)
      out.scales.data<float>()[i] =
          quantize_group({x.data<float>() + i * group, static_cast<size_t>(group)}, bits,
                         out.codes.data<uint8_t>() + i * group);
  });
  return out;
}

Tensor dequantized(const QuantizedMatrix& m) {
  const Tensor out = empty(m.codes.shape());
  const int64_t cols = m.cols(), groups = m.groups();
  const uint8_t* const zeros = m.zeros.defined() ? m.zeros.data<uint8_t>() : nullptr;
  parallel_for(m.rows(), (1 << 16) / (cols + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * cols; i < end * cols; ++i) {
      const int64_t group = i / cols * groups + i % cols / m.group;
      const int zero = zeros ? zeros[group] : 1 << (m.bits - 1);
      out.data<float>()[i] =
          m.scales.data<float>()[group] * static_cast<float>(m.codes.data<uint8_t>()[i] - zero);
    }
  });
  return out;
}

int64_t packed_block(int64_t group, int64_t cols) {
  for (int64_t block = kMostBlock; block >= 8; block /= 2)
    if (group % block == 0) return block;
  if (group != cols) return 0;
  int64_t block = 8;  // one scale a row: the last block is filled up
  while (block < cols && block < kMostBlock) block *= 2;
  return block;
}

Tensor packed(const QuantizedMatrix& m, int value_bits) {
  constexpr int64_t kTile = PackedLayout::kTile;
  const PackedLayout layout = layout_of(m, value_bits);
  auto storage = lasting_storage(static_cast<size_t>(layout.bytes()));
  std::byte* const data = storage->data();
  std::memset(data, 0, static_cast<size_t>(layout.bytes()));
  std::memcpy(data, &layout, sizeof(layout));
  parallel_for(layout.tiles(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * kTile; row < end * kTile; ++row) fill_row(m, layout, data, row);
  });
  const Shape shape{layout.rows, layout.cols};
  return Tensor(std::move(storage), shape, row_major(shape), 0, DType::packed);
}

PackedLayout packed_layout(const void* data) {
  PackedLayout out;
  std::memcpy(&out, data, sizeof(out));
  return out;
}

void unpack_row(const void* data, int64_t row, float* out) {
  const PackedLayout layout = packed_layout(data);
  if (holds_floats(data)) return untile_row(data, row, out);
  const int64_t lane = row % PackedLayout::kTile;
  for (int64_t b = 0; b < layout.blocks; ++b) {
    const Block block = block_of(layout, data, row, b);
    const int zero = layout.with_zeros ? block.zero(lane) : layout.zero();
    const int64_t first = b * layout.block;
    for (int64_t c = 0; c < std::min<int64_t>(layout.block, layout.cols - first); ++c)
      out[first + c] = block.scale(lane) * static_cast<float>(block.get(lane, c) - zero);
  }
}

Tensor unpacked(const Tensor& matrix) {
  const Tensor out = empty(matrix.shape());
  const int64_t cols = matrix.dim(1);
  parallel_for(matrix.dim(0), (1 << 14) / (cols + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      unpack_row(matrix.raw(), row, out.data<float>() + row * cols);
  });
  return out;
}

}  // namespace jogak
