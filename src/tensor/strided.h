// Copying between any two layouts of the same shape.
#pragma once

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
  int64_t rows = 1;
  for (int axis = 0; axis < inner; ++axis) rows *= l.size[axis];
  const int64_t grain = kPiece / l.size[inner] + 1;
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row, a = 0, b = 0;
      for (int axis = inner - 1; axis >= 0; --axis) {
        const int64_t at = rest % l.size[axis];
        rest /= l.size[axis];
        a += at * l.to[axis];
        b += at * l.from[axis];
      }
      copy_row(to + a, l.to[inner], from + b, l.from[inner], l.size[inner]);
    }
  });
}

}  // namespace jogak
