#include "app/data/replaced_data.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "base/random.h"

namespace jogak {
namespace {

constexpr int64_t kNoTarget = -100;

// A token by the softmax of its logits: the first at which the sum of the shares passes `share`.
int64_t drawn(std::span<const float> logits, double share) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  double left = share * sum;
  for (size_t i = 0; i < logits.size(); ++i) {
    left -= std::exp(logits[i] - most);
    if (left < 0) return static_cast<int64_t>(i);
  }
  return static_cast<int64_t>(logits.size()) - 1;
}

}  // namespace

EncoderBatch encoder_batch(const ReplacedBatch& b) {
  return {{.values = b.ids, .mask = b.mask}, b.replaced, b.count};
}

ReplacedBatch ReplacedData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = 0; i < count; ++i) picks.push_back({first + i, -1});
  return replaced(hidden_.eval_batch(first, count), picks);
}

ReplacedBatch ReplacedData::replaced(const MaskedBatch& b, std::span<const Pick> picks) const {
  std::vector<int64_t> ids = to_host<int64_t>(b.ids);
  const std::vector<int64_t> places = to_host<int64_t>(b.wanted), was = to_host<int64_t>(b.targets);
  const int64_t T = b.ids.dim(1);
  if (generator_) {
    const NoGrad quiet;
    Run run;
    const EncoderInput input{.values = b.ids, .mask = b.mask, .wanted = b.wanted};
    const Tensor logits = cast(generator_->predict(input, run), DType::f32);  // [N, V]
    const std::vector<float> all = to_host<float>(logits);
    const auto V = static_cast<size_t>(logits.dim(-1));
    std::vector<Rng> draws;
    for (const Pick& pick : picks)
      draws.emplace_back(
          seed_, static_cast<uint64_t>(pick.epoch + 1) << 40 | static_cast<uint64_t>(pick.index));
    for (size_t n = 0; n < places.size(); ++n)
      ids[static_cast<size_t>(places[n])] = drawn(
          std::span(all).subspan(n * V, V), draws[static_cast<size_t>(places[n] / T)].uniform());
  }
  std::vector<int64_t> labels(ids.size(), 0);
  for (size_t n = 0; n < places.size(); ++n)
    labels[static_cast<size_t>(places[n])] = ids[static_cast<size_t>(places[n])] != was[n];
  int64_t padding = 0;
  if (b.mask.defined()) {
    const std::vector<int64_t> real = to_host<int64_t>(cast(b.mask, DType::i64));
    for (size_t i = 0; i < real.size(); ++i)
      if (real[i] == 0) labels[i] = kNoTarget, ++padding;
  }
  return {from_values(ids, b.ids.shape()), b.mask, from_values(labels, b.ids.shape()),
          b.ids.count() - padding};
}

}  // namespace jogak
