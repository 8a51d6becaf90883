// Copying between any two layouts of the same shape.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace jogak {

// Axes that step alike on both sides become one: fewer, longer inner loops.
struct Layout2 {
  int rank = 0;
  int64_t size[Shape::kMaxRank], to[Shape::kMaxRank], from[Shape::kMaxRank];
};

inline Layout2 merge_axes(const Shape& shape, const Strides& to, const Strides& from) {
  Layout2 out;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const int last = out.rank - 1;
    if (out.rank > 0 && out.to[last] == to[axis] * shape[axis] &&
        out.from[last] == from[axis] * shape[axis]) {
      out.size[last] *= shape[axis];
      out.to[last] = to[axis];
      out.from[last] = from[axis];
    } else {
      out.size[out.rank] = shape[axis];
      out.to[out.rank] = to[axis];
      out.from[out.rank++] = from[axis];
    }
  }
  if (out.rank == 0) {
    out.rank = 1;
    out.size[0] = 1;
    out.to[0] = out.from[0] = 1;
  }
  return out;
}

template <class To, class From>
void copy_row(To* to, int64_t to_step, const From* from, int64_t from_step, int64_t n) {
  if constexpr (std::is_same_v<To, From>) {
    if (to_step == 1 && from_step == 1) {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(To));
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) to[i * to_step] = convert<To>(from[i * from_step]);
}

// Where row `index` of the axes but `skip` and the last begins on both sides.
struct Place2 {
  int64_t to = 0, from = 0;
};
inline Place2 place_of(const Layout2& l, int64_t index, int skip = -1) {
  Place2 out;
  for (int axis = l.rank - 2; axis >= 0; --axis) {
    if (axis == skip) continue;
    const int64_t at = index % l.size[axis];
    index /= l.size[axis];
    out.to += at * l.to[axis];
    out.from += at * l.from[axis];
  }
  return out;
}

// The axis along which `from` lies in a row when that is not the last, as it is for `to`; or -1.
inline int transposed_axis(const Layout2& l) {
  if (l.to[l.rank - 1] != 1 || l.from[l.rank - 1] == 1) return -1;
  for (int axis = 0; axis < l.rank - 1; ++axis)
    if (l.from[axis] == 1) return axis;
  return -1;
}

// A square of four by four: to[r][c] = from[c][r].
template <class T>
inline void turn_four(T* to, int64_t to_step, const T* from, int64_t from_step) {
  using Four [[gnu::vector_size(16)]] = uint32_t;
  static_assert(sizeof(T) == 4);
  Four line[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&line[i], from + i * from_step, sizeof(Four));
  const Four low = __builtin_shufflevector(line[0], line[2], 0, 4, 1, 5),
             high = __builtin_shufflevector(line[0], line[2], 2, 6, 3, 7),
             low_odd = __builtin_shufflevector(line[1], line[3], 0, 4, 1, 5),
             high_odd = __builtin_shufflevector(line[1], line[3], 2, 6, 3, 7);
  const Four row[4] = {__builtin_shufflevector(low, low_odd, 0, 4, 1, 5),
                       __builtin_shufflevector(low, low_odd, 2, 6, 3, 7),
                       __builtin_shufflevector(high, high_odd, 0, 4, 1, 5),
                       __builtin_shufflevector(high, high_odd, 2, 6, 3, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_step, &row[i], sizeof(Four));
}

// A small rectangle: rows of `to`, columns of it that lie `from_step` apart in `from`.
template <class T>
void turn_block(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows,
                int64_t cols) {
  int64_t whole_rows = 0, whole_cols = 0;
  if constexpr (sizeof(T) == 4) {
    whole_rows = rows / 4 * 4, whole_cols = cols / 4 * 4;
    for (int64_t r = 0; r < whole_rows; r += 4)
      for (int64_t c = 0; c < whole_cols; c += 4)
        turn_four(to + r * to_step + c, to_step, from + c * from_step + r, from_step);
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      to[r * to_step + c] = from[c * from_step + r];
}

// Small squares at a time: each cache line is met once on either side.
template <class T>
void copy_transposed(T* to, const T* from, const Layout2& l, int transposed) {
  constexpr int64_t kSide = 16;
  const int inner = l.rank - 1;
  const int64_t high = l.size[transposed], wide = l.size[inner], bands = (high + kSide - 1) / kSide;
  int64_t planes = 1;
  for (int axis = 0; axis < inner; ++axis)
    if (axis != transposed) planes *= l.size[axis];
  parallel_for(planes * bands, 1024 / wide + 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const Place2 at = place_of(l, piece / bands, transposed);
      const int64_t top = piece % bands * kSide, rows = std::min(kSide, high - top);
      for (int64_t left = 0; left < wide; left += kSide)
        turn_block(to + at.to + top * l.to[transposed] + left, l.to[transposed],
                   from + at.from + top + left * l.from[inner], l.from[inner], rows,
                   std::min(kSide, wide - left));
    }
  });
}

// A piece of one long row, or a run of whole rows, per parallel piece.
template <class To, class From>
void copy_strided(To* to, const Strides& to_strides, const From* from, const Strides& from_strides,
                  const Shape& shape) {
  constexpr int64_t kPiece = 1 << 14;
  const Layout2 l = merge_axes(shape, to_strides, from_strides);
  const int inner = l.rank - 1;
  if (inner == 0) {
    parallel_for(l.size[0], kPiece, [&](int64_t begin, int64_t end) {
      copy_row(to + begin * l.to[0], l.to[0], from + begin * l.from[0], l.from[0], end - begin);
    });
    return;
  }
  if constexpr (std::is_same_v<To, From>)
    if (const int transposed = transposed_axis(l); transposed >= 0)
      return copy_transposed(to, from, l, transposed);
  int64_t rows = 1;
  for (int axis = 0; axis < inner; ++axis) rows *= l.size[axis];
  const int64_t grain = kPiece / l.size[inner] + 1;
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Place2 at = place_of(l, row);
      copy_row(to + at.to, l.to[inner], from + at.from, l.from[inner], l.size[inner]);
    }
  });
}

}  // namespace jogak
