#include "app/tools/rounding.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "ops/gemm.h"

namespace jogak {
namespace {

constexpr int64_t kRoundedTogether = 128;  // columns that are rounded one after the other, at most
constexpr double kDamping = 0.01;

// The root of the moments, its columns divided by the diagonal, and the squared diagonal.
struct Feedback {
  Tensor share;  // f32 [cols, cols]: m_ij / m_jj
  std::vector<float> weight;
};

// Inputs that were few or alike have no root; a share of the mean diagonal is added, and more
// where that is not enough.
Feedback feedback_of(const Tensor& moments) {
  const int64_t n = moments.dim(0);
  double mean = 0;
  for (int64_t i = 0; i < n; ++i) mean += moments.data<float>()[i * n + i];
  mean = mean > 0 ? mean / static_cast<double>(n) : 1;
  Tensor root;
  for (double damping = kDamping;; damping *= 10) {
    root = cast(moments, DType::f64);
    for (int64_t i = 0; i < n; ++i) root.data<double>()[i * n + i] += damping * mean;
    if (upper_root(root)) break;
    ensure<FormatError>(damping < 1e6, "quantize: a layer reads numbers that are not finite");
  }
  Feedback out{empty({n, n}), {}};
  const double* const m = root.data<double>();
  for (int64_t i = 0; i < n; ++i)
    out.weight.push_back(static_cast<float>(m[i * n + i] * m[i * n + i] / mean));
  parallel_for(n, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < n; ++j)
        out.share.data<float>()[i * n + j] = static_cast<float>(m[i * n + j] / m[j * n + j]);
  });
  return out;
}

// One row's columns of a block: what they aim at, and what they are.
struct BlockRow {
  const Feedback& feedback;
  int64_t from, width, cols;  // of the block, of all
  int bits;
  const float* exact;  // the weights themselves

  // Codes and errors of these targets under a scale, and what that costs. `aim` is spoilt.
  double round(float scale, float* aim, uint8_t* codes, float* errors) const {
    const auto zero = static_cast<float>(1 << (bits - 1));
    double cost = 0;
    for (int64_t j = 0; j < width; ++j) {
      const float code = std::clamp(std::nearbyint(aim[j] / scale), -zero, zero - 1);
      const float value = scale * code, off = aim[j] - value, error = exact[j] - value;
      codes[j] = static_cast<uint8_t>(code + zero), errors[j] = error;
      cost += static_cast<double>(feedback.weight[static_cast<size_t>(from + j)]) * off * off;
      const float* const share = feedback.share.data<float>() + (from + j) * cols + from;
      for (int64_t k = j + 1; k < width; ++k) aim[k] += error * share[k];
    }
    return cost;
  }

  // With the scale that costs least: of 8 bits the one that holds all, of 4 bits one of six.
  float round_best(const float* aim, uint8_t* codes, float* errors) const {
    float most = 0, best = 0;
    for (int64_t j = 0; j < width; ++j) most = std::max(most, std::fabs(aim[j]));
    if (most < 1e-30f) most = 1;
    float left[kRoundedTogether];
    double least = HUGE_VAL;
    const auto attempt = [&](float steps) {
      std::copy_n(aim, width, left);
      const double cost = round(most / steps, left, codes, errors);
      if (cost < least) least = cost, best = most / steps;
    };
    if (bits == 8) {
      attempt(127);
      return best;
    }
    for (const float steps : {7.f, 7.5f, 8.f, 8.5f, 9.f, 9.75f}) attempt(steps);
    std::copy_n(aim, width, left);
    round(best, left, codes, errors);
    return best;
  }
};

// Rounds into `m` (whose scales are given where a group is longer than a block) and leaves W - Q.
Tensor round_with_feedback(const Tensor& w, const Feedback& feedback, const QuantizedMatrix& m) {
  const int64_t rows = w.dim(0), cols = w.dim(1);
  const bool own_scales = m.group <= kRoundedTogether;
  const int64_t block = own_scales ? m.group : kRoundedTogether;
  const Tensor errors = empty(w.shape()), aims = empty({rows, block});
  for (int64_t from = 0; from < cols; from += block) {
    const int64_t width = std::min(block, cols - from);
    float* const aim = aims.data<float>();
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(w.data<float>() + r * cols + from, width, aim + r * width);
    if (from > 0) {  // what the columns before have left to make up for
      Gemm g{.m = rows, .n = width, .k = from};
      g.a = errors.data<float>(), g.a_row = cols;
      g.b = feedback.share.data<float>() + from, g.b_row = cols;
      g.c = aim, g.c_row = width, g.accumulate = true;
      run(OnCpu{}, g);
    }
    parallel_for(rows, 8, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t at = r * cols + from;
        const BlockRow row{feedback, from, width, cols, m.bits, w.data<float>() + at};
        uint8_t* const codes = m.codes.data<uint8_t>() + at;
        float& scale = m.scales.data<float>()[r * m.groups() + from / m.group];
        if (own_scales)
          scale = row.round_best(aim + r * width, codes, errors.data<float>() + at);
        else
          row.round(scale, aim + r * width, codes, errors.data<float>() + at);
      }
    });
  }
  return errors;
}

// x H x^T of each row of x [rows, n].
std::vector<double> energies(const Tensor& x, const Tensor& moments) {
  const int64_t rows = x.dim(0), n = x.dim(1);
  const Tensor product = empty(x.shape());
  Gemm g{.m = rows, .n = n, .k = n};
  g.a = x.data<float>(), g.a_row = n;
  g.b = moments.data<float>(), g.b_row = n;
  g.c = product.data<float>(), g.c_row = n;
  run(OnCpu{}, g);
  std::vector<double> out(static_cast<size_t>(rows));
  parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      double sum = 0;
      for (int64_t i = r * n; i < (r + 1) * n; ++i)
        sum += static_cast<double>(x.data<float>()[i]) * product.data<float>()[i];
      out[static_cast<size_t>(r)] = std::max(sum, 0.0);
    }
  });
  return out;
}

void copy_row(const QuantizedMatrix& from, const QuantizedMatrix& to, int64_t row) {
  const int64_t cols = from.cols(), groups = from.groups();
  std::copy_n(from.codes.data<uint8_t>() + row * cols, cols, to.codes.data<uint8_t>() + row * cols);
  std::copy_n(from.scales.data<float>() + row * groups, groups,
              to.scales.data<float>() + row * groups);
}

}  // namespace

RoundedMatrix rounded_for(const Tensor& matrix, int bits, int64_t group, const Moments& moments) {
  const Tensor w = dense(cast(matrix, DType::f32));
  const int64_t rows = w.dim(0), cols = w.dim(1);
  ensure<ShapeError>(moments.width() == cols, "quantize: a matrix ", w.shape(), " reads ",
                     moments.width(), " numbers");
  const QuantizedMatrix nearest = quantized(w, bits, group);
  RoundedMatrix out{{bits, group, empty(w.shape(), DType::u8), clone(nearest.scales), {}}, 0, 0};
  const Tensor h = moments.whole();
  const Tensor errors = round_with_feedback(w, feedback_of(h), out.matrix);
  const Tensor off = dequantized(nearest);
  for (int64_t i = 0; i < off.count(); ++i) off.data<float>()[i] -= w.data<float>()[i];
  const std::vector<double> all = energies(w, h), plain = energies(off, h),
                            fed = energies(errors, h);
  double size = 0, before = 0, after = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const auto i = static_cast<size_t>(r);
    const bool better = fed[i] <= plain[i];
    if (!better) copy_row(nearest, out.matrix, r);
    size += all[i], before += plain[i], after += better ? fed[i] : plain[i];
  }
  out.error = size > 0 ? std::sqrt(after / size) : 0;
  out.nearest = size > 0 ? std::sqrt(before / size) : 0;
  return out;
}

}  // namespace jogak
