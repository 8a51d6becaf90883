// The mathematics of the worked examples in plain double loops: slow, short, and written as in
// the formulas. The engine's own ops are tested against numbers, not against these.
#pragma once

#include "draw/matrix.h"

namespace jogak::plain {

Matrix product(const Matrix& a, const Matrix& b);
Matrix divided(const Matrix& a, double by);
Matrix times(const Matrix& a, const Matrix& b);  // entry by entry
double sum(const Matrix& a);
double largest(const Matrix& a);

Matrix row_sums(const Matrix& a);  // [rows, 1]

// Softmax of each row. A row that is all -infinity (nothing visible) gives zeros.
Matrix softmax(const Matrix& scores);

Matrix causal_mask(int64_t length);                                    // 1 where j <= i
Matrix hidden(const Matrix& scores, const Matrix& mask, double fill);  // `fill` where mask is 0

struct Attention {
  Matrix scores, scaled, masked, weights, output;
};
// `mask` holds 1 for visible and 0 for hidden; an empty one hides nothing.
Attention attention(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& mask);

// Positions. The divisor of pair i is 10000^(2i/d); sine in column 2i, cosine in 2i+1.
Matrix position_encoding(const std::vector<double>& positions, int64_t d);
double position_dot(double p, double q, int64_t d);

struct LayerNorm {
  double mean, variance, deviation;     // deviation = sqrt(variance + eps)
  Matrix centred, squares, normalised;  // x - mean, its squares, centred / deviation
};
LayerNorm layer_norm(const Matrix& x, double eps);
double median(const Matrix& x);

}  // namespace jogak::plain
