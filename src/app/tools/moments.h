// Second moments of what a linear layer reads, and a triangular root of them.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// X^T X over all rows that were added, in f32: for any error E of the weights, tr(E X^T X E^T) is
// what it changes of the layer's outputs, squared and summed.
class Moments {
 public:
  explicit Moments(int64_t width);
  void add(const Tensor& x);  // [.., width]
  int64_t width() const { return upper_.dim(0); }
  int64_t rows() const { return rows_; }  // added so far
  Tensor whole() const;                   // f32 [width, width], both triangles, the mean over rows

  static double bytes(int64_t width) { return 4.0 * static_cast<double>(width * width); }

 private:
  Tensor upper_;  // f32 [width, width]: what lies below the diagonal's blocks is not kept
  int64_t rows_ = 0;
};

// M, upper triangular, with M M^T = A in place of A: symmetric, f64 [n, n], of which the upper
// triangle is read. False where A is not positive: then A is spoilt.
bool upper_root(const Tensor& a);

}  // namespace jogak
