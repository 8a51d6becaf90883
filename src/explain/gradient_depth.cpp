#include "explain/gradient_depth.h"

#include <algorithm>
#include <cmath>

#include "explain/arithmetic.h"

namespace jogak {
namespace {

using plain::product;

constexpr double kEps = 1e-5;

// Uniform in (-1, 1) to the eye, times `size`.
Matrix sine_noise(int64_t layer, int64_t which, double size) {
  Matrix out(kStackWidth, kStackWidth);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j) {
      const double wave =
          std::sin(static_cast<double>(1 + i * 131 + j * 17 + layer * 7919 + which * 104729)) * 1e4;
      out.at(i, j) = size * (2 * (wave - std::floor(wave)) - 1);
    }
  return out;
}

struct Layer {
  Matrix w1, w2, input, hidden;  // as rows: x [1, d]
  plain::LayerNorm norm;
};

Matrix sum(const Matrix& a, const Matrix& b) {
  Matrix out = a;
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] += b.values[i];
  return out;
}

Matrix block(Layer& layer, const Matrix& x) {
  layer.hidden = product(x, layer.w1);
  Matrix bent = layer.hidden;
  for (double& h : bent.values) h = std::max(h, 0.0);
  return product(bent, layer.w2);
}

Matrix block_back(const Layer& layer, const Matrix& d) {
  Matrix back = product(d, transposed(layer.w2));
  for (size_t i = 0; i < back.values.size(); ++i)
    if (layer.hidden.values[i] <= 0) back.values[i] = 0;
  return product(back, transposed(layer.w1));
}

Matrix norm_back(const plain::LayerNorm& norm, const Matrix& d) {
  const Matrix& h = norm.normalised;
  const double n = static_cast<double>(d.columns), mean = plain::sum(d) / n;
  const double along = plain::sum(plain::times(d, h)) / n;
  Matrix out = d;
  for (size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = (d.values[i] - mean - h.values[i] * along) / norm.deviation;
  return out;
}

Matrix forward(Layer& layer, Wiring wiring, const Matrix& x) {
  switch (wiring) {
    case Wiring::plain: return block(layer, x);
    case Wiring::residual: return sum(x, block(layer, x));
    case Wiring::norm_before:
      layer.norm = plain::layer_norm(x, kEps);
      return sum(x, block(layer, layer.norm.normalised));
    case Wiring::norm_after:
      layer.norm = plain::layer_norm(sum(x, block(layer, x)), kEps);
      return layer.norm.normalised;
  }
  return x;
}

Matrix backward(const Layer& layer, Wiring wiring, const Matrix& d) {
  switch (wiring) {
    case Wiring::plain: return block_back(layer, d);
    case Wiring::residual: return sum(d, block_back(layer, d));
    case Wiring::norm_before: return sum(d, norm_back(layer.norm, block_back(layer, d)));
    case Wiring::norm_after: {
      const Matrix inner = norm_back(layer.norm, d);
      return sum(inner, block_back(layer, inner));
    }
  }
  return d;
}

}  // namespace

std::vector<double> gradient_norms(Wiring wiring, int64_t depth) {
  const double size = std::sqrt(3.0 / static_cast<double>(kStackWidth));  // keeps variances
  std::vector<Layer> layers;
  Matrix x(1, kStackWidth), d(1, kStackWidth);
  for (int64_t i = 0; i < kStackWidth; ++i) {
    x.at(0, i) = std::cos(static_cast<double>(i));
    d.at(0, i) = i % 2 ? -1 : 1;
  }
  for (int64_t l = 0; l < depth; ++l) {
    layers.push_back({sine_noise(l, 0, size), sine_noise(l, 1, size), x, {}, {}});
    x = forward(layers.back(), wiring, x);
  }
  std::vector<double> out(static_cast<size_t>(depth));
  for (size_t l = layers.size(); l-- > 0;) {
    d = backward(layers[l], wiring, d);
    out[l] = std::sqrt(plain::sum(plain::times(d, d)));
  }
  return out;
}

}  // namespace jogak
