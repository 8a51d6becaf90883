#include "explain/small_gpt.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "explain/arithmetic.h"

namespace jogak {
namespace {

constexpr double kEps = 1e-5;

Matrix plus(const Matrix& a, const Matrix& b) {  // b may be one row for all
  Matrix out = a;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) out.at(i, j) += b.at(b.rows == 1 ? 0 : i, j);
  return out;
}

Matrix columns(const Matrix& a, int64_t from, int64_t count) {
  Matrix out(a.rows, count);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < count; ++j) out.at(i, j) = a.at(i, from + j);
  return out;
}

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

class Pass {
 public:
  explicit Pass(const SmallGpt& model) : model_(model) {}

  Matrix linear(const Matrix& x, const std::string& name) const {
    return plus(plain::product(x, model_.weight(name + ".weight")), model_.weight(name + ".bias"));
  }

  Matrix norm(const Matrix& x, const std::string& name) const {
    Matrix out = x;
    const Matrix &gamma = model_.weight(name + ".weight"), &beta = model_.weight(name + ".bias");
    for (int64_t i = 0; i < x.rows; ++i) {
      const auto row = x.row(i);
      const Matrix n = plain::layer_norm(Matrix::row_of({row.begin(), row.end()}), kEps).normalised;
      for (int64_t j = 0; j < x.columns; ++j)
        out.at(i, j) = gamma.at(0, j) * n.at(0, j) + beta.at(0, j);
    }
    return out;
  }

  Matrix attention(const Matrix& x, const std::string& name) const {
    constexpr int64_t kC = SmallGpt::kWidth, kD = kC / SmallGpt::kHeads;
    const Matrix qkv = linear(x, name + ".c_attn");
    Matrix joined(x.rows, kC);
    for (int64_t h = 0; h < SmallGpt::kHeads; ++h) {
      const auto part = [&](int64_t which) { return columns(qkv, which * kC + h * kD, kD); };
      const Matrix out =
          plain::attention(part(0), part(1), part(2), plain::causal_mask(x.rows)).output;
      for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t j = 0; j < kD; ++j) joined.at(i, h * kD + j) = out.at(i, j);
    }
    return linear(joined, name + ".c_proj");
  }

  Matrix block(Matrix x, const std::string& name) const {
    x = plus(x, attention(norm(x, name + ".ln_1"), name + ".attn"));
    Matrix wide = linear(norm(x, name + ".ln_2"), name + ".mlp.c_fc");
    for (double& one : wide.values) one = gelu(one);
    return plus(x, linear(wide, name + ".mlp.c_proj"));
  }

 private:
  const SmallGpt& model_;
};

}  // namespace

SmallGpt::SmallGpt() {
  const auto add = [&](const std::string& name, int64_t rows, int64_t columns_, bool scale) {
    Matrix m(rows, columns_);
    const auto number = static_cast<double>(weights.size());
    for (size_t i = 0; i < m.values.size(); ++i)
      m.values[i] = 0.5 * std::sin(1.7 * static_cast<double>(i) + number) + (scale ? 1 : 0);
    weights.emplace_back(name, std::move(m));
  };
  const auto linear = [&](const std::string& name, int64_t in, int64_t out) {
    add(name + ".weight", in, out, false);
    add(name + ".bias", 1, out, false);
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", 1, kWidth, true);
    add(name + ".bias", 1, kWidth, false);
  };
  add("wte.weight", kVocab, kWidth, false);
  add("wpe.weight", kContext, kWidth, false);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const std::string h = text_of("h.", layer);
    norm(h + ".ln_1");
    linear(h + ".attn.c_attn", kWidth, 3 * kWidth);
    linear(h + ".attn.c_proj", kWidth, kWidth);
    norm(h + ".ln_2");
    linear(h + ".mlp.c_fc", kWidth, 4 * kWidth);
    linear(h + ".mlp.c_proj", 4 * kWidth, kWidth);
  }
  norm("ln_f");
}

const Matrix& SmallGpt::weight(const std::string& name) const {
  for (const auto& [own, value] : weights)
    if (own == name) return value;
  fail<Error>("small gpt: no weight is called ", name);
}

SmallGptPass run_small_gpt(const SmallGpt& model, const std::vector<int64_t>& ids) {
  const Pass pass(model);
  const Matrix &wte = model.weight("wte.weight"), &wpe = model.weight("wpe.weight");
  Matrix x(static_cast<int64_t>(ids.size()), SmallGpt::kWidth);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      x.at(i, j) = wte.at(ids[static_cast<size_t>(i)], j) + wpe.at(i, j);
  SmallGptPass out{x, {}, {}};
  for (int64_t layer = 0; layer < SmallGpt::kLayers; ++layer) {
    x = pass.block(x, text_of("h.", layer));
    out.blocks.push_back(x);
  }
  out.logits = plain::product(pass.norm(x, "ln_f"), transposed(wte));
  return out;
}

}  // namespace jogak
