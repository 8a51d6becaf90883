#include "tensor/shape.h"

#include <algorithm>
#include <ostream>

namespace jogak {

Shape::Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.end())) {}

Shape::Shape(std::span<const int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
  ensure<ShapeError>(sizes.size() <= kMaxRank, "a shape of ", sizes.size(),
                     " axes, wanted at most ", kMaxRank);
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

size_t Shape::index(int axis) const {
  ensure<ShapeError>(axis >= -rank_ && axis < rank_, "axis ", axis, " of shape ", *this);
  return static_cast<size_t>(axis < 0 ? axis + rank_ : axis);
}

int64_t Shape::count() const {
  int64_t n = 1;
  for (const int64_t size : *this) n *= size;
  return n;
}

Shape Shape::with(int axis, int64_t size) const {
  Shape out = *this;
  out.sizes_[index(axis)] = size;
  return out;
}

Shape Shape::without(int axis) const {
  const size_t at = index(axis);
  Shape out = *this;
  std::copy(out.sizes_.begin() + at + 1, out.sizes_.begin() + rank_, out.sizes_.begin() + at);
  out.sizes_[--out.rank_] = 0;
  return out;
}

Shape Shape::plus(int64_t last) const {
  ensure<ShapeError>(rank_ < kMaxRank, "no room for another axis in ", *this);
  Shape out = *this;
  out.sizes_[out.rank_++] = last;
  return out;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
}

Strides row_major(const Shape& shape) {
  Strides strides = shape;
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out = a.rank() >= b.rank() ? a : b;
  for (int back = 1; back <= rank; ++back) {
    const int64_t x = back <= a.rank() ? a.dim(-back) : 1, y = back <= b.rank() ? b.dim(-back) : 1;
    ensure<ShapeError>(x == y || x == 1 || y == 1, op, ": shapes ", a, " and ", b,
                       " do not broadcast: axis ", -back, " has ", x, " and ", y);
    out[rank - back] = x == 1 ? y : x;
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int i = 0; i < shape.rank(); ++i) out << (i ? ", " : "") << shape[i];
  return out << ']';
}

}  // namespace jogak
