#include "tensor/tiles.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "tensor/lasting.h"

namespace jogak {
namespace {

using Tiles = FloatTiles;

Tiles head_of(int64_t rows, int64_t cols, DType dtype) {
  Tiles out;
  out.rows = rows, out.cols = cols, out.bits = dtype == DType::f32 ? 32 : 16;
  return out;
}

int64_t count_of(const Tiles& layout) {  // numbers behind the head
  if (layout.bits == 16) return Tiles::short_rows(layout.rows) * Tiles::padded(layout.cols);
  return (layout.rows + Tiles::kUnit - 1) / Tiles::kUnit * Tiles::kUnit * layout.cols;
}

// A row of the matrix, wherever its part lies; null where rows fill up a tile.
template <class T>
struct Row {
  const T* data = nullptr;
  int64_t step = 0;  // between columns
};

template <class T>
class AllRows {
 public:
  explicit AllRows(const std::vector<Tensor>& parts) {
    for (const Tensor& part : parts) {
      const T* const data = part.data<T>();
      for (int64_t r = 0; r < part.dim(0); ++r)
        rows_.push_back({data + r * part.strides()[0], part.strides()[1]});
    }
  }
  Row<T> at(int64_t row) const {
    return row < static_cast<int64_t>(rows_.size()) ? rows_[static_cast<size_t>(row)] : Row<T>{};
  }

 private:
  std::vector<Row<T>> rows_;
};

// Some columns of a tile at a time, so that what is written stays in cache until it is whole.
constexpr int64_t kColumns = 64;

void fill_tile(const AllRows<float>& rows, int64_t first, int64_t width, int64_t cols, float* out) {
  Row<float> from[Tiles::kRows];
  bool side_by_side = true;  // as files that keep [in, out] have them
  for (int64_t r = 0; r < width; ++r) {
    from[r] = rows.at(first + r);
    side_by_side &=
        from[r].data && from[r].data == from[0].data + r && from[r].step == from[0].step;
  }
  if (side_by_side) {
    for (int64_t c = 0; c < cols; ++c)
      std::memcpy(out + c * width, from[0].data + c * from[0].step,
                  static_cast<size_t>(width) * sizeof(float));
    return;
  }
  for (int64_t c0 = 0; c0 < cols; c0 += kColumns)
    for (int64_t r = 0; r < width; ++r) {
      const auto [data, step] = from[r];
      const int64_t end = std::min(cols, c0 + kColumns);
      float* to = out + c0 * width + r;
      for (int64_t c = c0; c < end; ++c, to += width) *to = data ? data[c * step] : 0;
    }
}

// A block of columns of a tile of bf16.
void fill_block(const AllRows<BFloat16>& rows, int64_t first, int64_t c0, int64_t cols,
                BFloat16* tile) {
  constexpr int64_t kBlock = Tiles::kShortBlock;
  for (int64_t r = 0; r < Tiles::kShortRows; ++r) {
    const auto [data, step] = rows.at(first + r);
    BFloat16* const to = tile + c0 * Tiles::kShortRows + r * kBlock;
    const int64_t there = data ? std::min(kBlock, cols - c0) : 0;
    if (step == 1)
      std::memcpy(static_cast<void*>(to), data + c0, static_cast<size_t>(there) * sizeof(*to));
    else
      for (int64_t c = 0; c < there; ++c) to[c] = data[(c0 + c) * step];
    std::fill(to + there, to + kBlock, BFloat16());
  }
}

void fill(const std::vector<Tensor>& parts, const Tiles& layout, std::byte* numbers) {
  if (layout.bits == 32) {
    const AllRows<float> rows(parts);
    auto* const out = reinterpret_cast<float*>(numbers);
    return parallel_for((layout.rows + Tiles::kRows - 1) / Tiles::kRows, 1,
                        [&](int64_t tile, int64_t) {
                          const int64_t first = tile * Tiles::kRows;
                          fill_tile(rows, first, Tiles::width(layout.rows, first), layout.cols,
                                    out + first * layout.cols);
                        });
  }
  const AllRows<BFloat16> rows(parts);
  auto* const out = reinterpret_cast<BFloat16*>(numbers);
  constexpr int64_t kAtOnce = 32;  // rows, which share lines of memory where they lie across it
  const int64_t all = Tiles::short_rows(layout.rows);
  parallel_for(all, kAtOnce, [&](int64_t begin, int64_t end) {
    for (int64_t c0 = 0; c0 < layout.cols; c0 += Tiles::kShortBlock)
      for (int64_t first = begin; first < end; first += Tiles::kShortRows)
        fill_block(rows, first, c0, layout.cols, out + first * Tiles::padded(layout.cols));
  });
}

}  // namespace

FloatTiles float_tiles(const void* data) {
  FloatTiles out;
  std::memcpy(&out, data, sizeof(out));
  return out;
}

bool holds_floats(const void* data) { return float_tiles(data).bits >= 16; }

Tensor tiled(const std::vector<Tensor>& parts) {
  ensure<ShapeError>(!parts.empty(), "tiles: found no parts");
  const DType dtype = parts[0].dtype();
  int64_t rows = 0;
  for (const Tensor& part : parts) {
    ensure<ShapeError>(part.rank() == 2 && part.dim(1) == parts[0].dim(1) &&
                           part.dtype() == dtype && (dtype == DType::f32 || dtype == DType::bf16),
                       "tiles: found a part of ", part.dtype(), " ", part.shape(),
                       ", wanted f32 or bf16 [rows, cols] like ", parts[0].shape());
    rows += part.dim(0);
  }
  const Shape shape{rows, parts[0].dim(1)};
  const Tiles layout = head_of(rows, shape[1], dtype);
  const int64_t bytes = Tiles::kHead + count_of(layout) * static_cast<int64_t>(size_of(dtype));
  auto storage = lasting_storage(static_cast<size_t>(bytes));
  std::memset(storage->data(), 0, Tiles::kHead);
  std::memcpy(storage->data(), &layout, sizeof(layout));
  fill(parts, layout, storage->data() + Tiles::kHead);
  return Tensor(std::move(storage), shape, row_major(shape), 0, DType::packed);
}

Tensor tile_values(const Tensor& tiles) {
  const Tiles layout = float_tiles(tiles.raw());
  ensure<ShapeError>(holds_floats(tiles.raw()),
                     "tiles: found a matrix of small integers, wanted floats");
  const Shape shape{count_of(layout)};
  const DType dtype = layout.bits == 32 ? DType::f32 : DType::bf16;
  const int64_t head = Tiles::kHead / static_cast<int64_t>(size_of(dtype));
  return Tensor(tiles.storage(), shape, row_major(shape), head, dtype);
}

void untile_row(const void* data, int64_t row, float* out) {
  const Tiles layout = float_tiles(data);
  const auto* const numbers = static_cast<const std::byte*>(data) + Tiles::kHead;
  if (layout.bits == 32) {
    const int64_t first = row / Tiles::kRows * Tiles::kRows,
                  width = Tiles::width(layout.rows, first);
    const auto* from = reinterpret_cast<const float*>(numbers) + first * layout.cols + row - first;
    for (int64_t c = 0; c < layout.cols; ++c, from += width) out[c] = *from;
    return;
  }
  const int64_t inside = row % Tiles::kShortRows;
  const auto* const from =
      reinterpret_cast<const BFloat16*>(numbers) + (row - inside) * Tiles::padded(layout.cols);
  for (int64_t c = 0; c < layout.cols; ++c) {
    const int64_t in_block = c % Tiles::kShortBlock;
    out[c] = static_cast<float>(
        from[(c - in_block) * Tiles::kShortRows + inside * Tiles::kShortBlock + in_block]);
  }
}

}  // namespace jogak
