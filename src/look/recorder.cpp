#include "look/recorder.h"

#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "look/attention_book.h"

namespace jogak {
namespace {

Matrix matrix_of(const Tensor& x, int64_t rows) {
  const std::vector<double> values = to_host<double>(x);
  Matrix out(rows, rows > 0 ? static_cast<int64_t>(values.size()) / rows : 0);
  out.values = values;
  return out;
}

PositionTable table_of(const ProbeStep& step, const Tensor& value) {
  const std::string name = step.name();
  if (step.path == "alibi" && value.rank() == 3)  // [B, heads, T], of the first text
    return {PositionTable::Kind::alibi, name,
            matrix_of(value.view({value.dim(1), value.dim(2)},
                                 {value.strides()[1], value.strides()[2]}, value.offset()),
                      value.dim(1))};
  if (step.path == "relative" || step.path == "alibi")  // [heads, distances]
    return {PositionTable::Kind::relative, text_of(step.source ? "encoder." : "decoder.", name),
            matrix_of(value, value.dim(0))};
  const bool turns = step.path == "rotary";
  return {turns ? PositionTable::Kind::rotary : PositionTable::Kind::added, name,
          matrix_of(value, value.count() / value.dim(-1))};
}

}  // namespace

Matrix AttentionMap::of(int64_t row, int64_t head) const {
  const int64_t Tq = weights.dim(2), Tk = weights.dim(3);
  const auto& s = weights.strides();
  return matrix_of(
      weights.view({Tq, Tk}, {s[2], s[3]}, weights.offset() + row * s[0] + head * s[1]), Tq);
}

StepRecord measured(const ProbeStep& step, const Tensor& value, bool statistics) {
  StepRecord out{step.name(), step.part, step.layer, step.source, value.shape()};
  if (!statistics || !is_float(value.dtype())) return out;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double sum = 0, squares = 0, low = kFar, high = -kFar;
  const std::vector<float> all = to_host<float>(value.detach());
  for (const float x : all) {
    sum += x;
    low = std::min(low, double{x}), high = std::max(high, double{x});
  }
  const auto n = static_cast<double>(all.size());
  out.mean = sum / n, out.low = low, out.high = high;
  for (const float x : all) squares += (x - out.mean) * (x - out.mean);
  out.deviation = std::sqrt(squares / n);
  return out;
}

void Recorder::see(std::string_view name, int64_t layer, const Tensor& value) {
  if (wanted_.attention && name.ends_with("attentions"))
    maps.push_back({attention_kind(name), layer, value.detach()});
}

Tensor Recorder::pass(const ProbeStep& step, const Tensor& in, const Tensor& out) {
  steps.push_back(measured(step, out, wanted_.statistics));
  if (step.part == Part::positions) positions.push_back(table_of(step, out));
  if (wanted_.layers && step.part == Part::layer && !step.source) {
    if (layers.empty()) layers.push_back(in.detach()), layer_names.emplace_back("embeddings");
    layers.push_back(out.detach());
    layer_names.push_back(step.name());
  }
  return out;
}

}  // namespace jogak
