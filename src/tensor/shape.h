// Sizes of a tensor's axes: a small value, at most eight of them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>

#include "base/error.h"

namespace jogak {

class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes);
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return rank_; }
  // Negative axes count from the end: dim(-1) is the last.
  int64_t dim(int axis) const { return sizes_[index(axis)]; }
  int64_t operator[](int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return sizes_[static_cast<size_t>(axis)]; }
  int64_t count() const;  // elements
  size_t index(int axis) const;

  const int64_t* begin() const { return sizes_.data(); }
  const int64_t* end() const { return sizes_.data() + rank_; }

  Shape with(int axis, int64_t size) const;  // one axis replaced
  Shape without(int axis) const;             // one axis removed
  Shape plus(int64_t last) const;            // one axis added at the end
  bool operator==(const Shape& other) const;

 private:
  int rank_ = 0;
  std::array<int64_t, kMaxRank> sizes_{};
};

using Strides = Shape;  // in elements, one per axis

Strides row_major(const Shape& shape);
Shape broadcast(const char* op, const Shape& a, const Shape& b);  // the common shape, or ShapeError
std::ostream& operator<<(std::ostream& out, const Shape& shape);  // [2, 3]

}  // namespace jogak
