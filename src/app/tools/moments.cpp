#include "app/tools/moments.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/gemm.h"

namespace jogak {
namespace {

constexpr int64_t kTrianglePanel =
    512;                            // rows of a triangle that are computed up to their own diagonal
constexpr int64_t kRootBlock = 64;  // columns of a root that are found together

// The diagonal block [at, at + n) of the root.
bool root_of_block(double* a, int64_t row, int64_t at, int64_t n) {
  const auto of = [&](int64_t r, int64_t c) -> double& { return a[(at + r) * row + at + c]; };
  for (int64_t c = n - 1; c >= 0; --c)
    for (int64_t r = c; r >= 0; --r) {
      double left = of(r, c);
      for (int64_t d = c + 1; d < n; ++d) left -= of(r, d) * of(c, d);
      if (r < c) {
        of(r, c) = left / of(c, c);
        continue;
      }
      if (!(left > 0) || !std::isfinite(left)) return false;
      of(c, c) = std::sqrt(left);
    }
  return true;
}

// Rows above the block: X M^T = A, from the last column to the first; `less` becomes -X.
void rows_above(double* a, int64_t row, int64_t at, int64_t n, double* less) {
  parallel_for(at, 64, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      double* const x = a + r * row + at;
      for (int64_t c = n - 1; c >= 0; --c) {
        const double* const m = a + (at + c) * row + at;
        double left = x[c];
        for (int64_t d = c + 1; d < n; ++d) left -= x[d] * m[d];
        x[c] = left / m[c];
        less[r * n + c] = -x[c];
      }
    }
  });
}

}  // namespace

Moments::Moments(int64_t width) : upper_(zeros({width, width})) {}

void Moments::add(const Tensor& x_in) {
  const Tensor x = dense(cast(x_in, DType::f32));
  const int64_t n = width(), rows = x.rows();
  ensure<ShapeError>(x.dim(-1) == n, "moments: found rows of ", x.dim(-1), ", wanted ", n);
  for (int64_t from = 0; from < n; from += kTrianglePanel) {
    Gemm g{.m = std::min(kTrianglePanel, n - from), .n = n - from, .k = rows};
    g.a = x.data<float>() + from, g.a_row = 1, g.a_col = n;
    g.b = x.data<float>() + from, g.b_row = n;
    g.c = upper_.data<float>() + from * n + from, g.c_row = n, g.accumulate = true;
    run(OnCpu{}, g);
  }
  rows_ += rows;
}

Tensor Moments::whole() const {
  const int64_t n = width();
  const Tensor out = empty({n, n});
  const float* const from = upper_.data<float>();
  float* const to = out.data<float>();
  const float share = 1 / static_cast<float>(std::max<int64_t>(rows_, 1));
  parallel_for(n, 16, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int64_t c = 0; c < n; ++c)
        to[r * n + c] = share * (r <= c ? from[r * n + c] : from[c * n + r]);
  });
  return out;
}

bool upper_root(const Tensor& matrix) {
  const int64_t n = matrix.dim(0);
  double* const a = matrix.data<double>();
  const Tensor less = empty({n, kRootBlock}, DType::f64);
  for (int64_t end = n; end > 0;) {
    const int64_t width = std::min(kRootBlock, end), at = end - width;
    if (!root_of_block(a, n, at, width)) return false;
    rows_above(a, n, at, width, less.data<double>());
    for (int64_t from = 0; from < at; from += kTrianglePanel) {  // A -= X X^T
      Gemm g{.dtype = DType::f64,
             .m = std::min(kTrianglePanel, at - from),
             .n = at - from,
             .k = width};
      g.a = less.data<double>() + from * width, g.a_row = width;
      g.b = a + from * n + at, g.b_row = 1, g.b_col = n;
      g.c = a + from * n + from, g.c_row = n, g.accumulate = true;
      run(OnCpu{}, g);
    }
    end = at;
  }
  for (int64_t r = 1; r < n; ++r) std::fill(a + r * n, a + r * n + r, 0.0);
  return true;
}

}  // namespace jogak
