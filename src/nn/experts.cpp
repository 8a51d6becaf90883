#include "nn/experts.h"

#include <algorithm>

#include "ops/add.h"
#include "ops/concat.h"
#include "ops/embedding.h"
#include "ops/mul.h"
#include "ops/pick.h"
#include "ops/reduce.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/softmax.h"

namespace jogak {
namespace {

std::vector<int64_t> choices(const Tensor& ids, int64_t experts) {
  std::vector<int64_t> out = to_host<int64_t>(ids);
  for (int64_t& e : out) e = std::clamp<int64_t>(e, 0, experts - 1);  // of a device without values
  return out;
}

}  // namespace

Tensor through_experts(const Tensor& x, const Tensor& ids, const Tensor& weights, int64_t experts,
                       const std::function<Tensor(int64_t, const Tensor&)>& expert) {
  const int64_t N = x.dim(0), k = ids.dim(1), pairs = N * k;
  if (N == 0) return x;
  // Pairs of a row and an expert, those of one expert side by side.
  const std::vector<int64_t> chosen = choices(ids, experts);
  std::vector<int64_t> rows, order, places(static_cast<size_t>(pairs)), counts, asked;
  for (int64_t e = 0; e < experts; ++e) {
    const size_t before = rows.size();
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] != e) continue;
      const auto pair = static_cast<int64_t>(i);
      places[static_cast<size_t>(pair % k * N + pair / k)] = static_cast<int64_t>(rows.size());
      rows.push_back(pair / k), order.push_back(pair);
    }
    if (rows.size() == before) continue;
    asked.push_back(e);
    counts.push_back(static_cast<int64_t>(rows.size() - before));
  }
  const Tensor read = embedding(x, from_values(rows, {pairs}, x.device()));  // [pairs, C]
  const std::vector<Tensor> parts = split(read, 0, counts);
  std::vector<Tensor> made;
  for (size_t i = 0; i < asked.size(); ++i) made.push_back(expert(asked[i], contiguous(parts[i])));
  const Tensor shares =
      embedding(reshape(weights, {pairs, 1}), from_values(order, {pairs}, x.device()));
  const Tensor weighted = concat(made, 0) * shares;  // [pairs, C]
  // A row's first choice, its second, ..: each once through memory.
  const Tensor back = from_values(places, {k, N}, x.device());
  Tensor sum;
  for (int64_t j = 0; j < k; ++j) {
    const Tensor one = embedding(weighted, reshape(slice(back, 0, j, j + 1), {N}));  // [N, C]
    sum = j == 0 ? one : sum + one;
  }
  return sum;
}

Tensor balance_loss(const std::vector<Tensor>& logits, int64_t chosen, const Tensor& real) {
  const int64_t E = logits[0].dim(-1), N = logits[0].rows();
  std::vector<double> counts(static_cast<size_t>(E), 0.0);
  std::vector<int64_t> counted(static_cast<size_t>(N), 1);
  if (real.defined()) counted = to_host<int64_t>(cast(real, DType::i64));
  double total = 0;
  Tensor probabilities;
  for (const Tensor& layer : logits) {
    const Tensor rows = reshape(layer, {N, E});
    const std::vector<int64_t> ids = choices(top_k(rows.detach(), chosen).second, E);
    for (size_t i = 0; i < ids.size(); ++i)
      counts[static_cast<size_t>(ids[i])] +=
          static_cast<double>(counted[i / static_cast<size_t>(chosen)]);
    for (const int64_t one : counted) total += static_cast<double>(one);
    Tensor shares = softmax(rows);
    if (real.defined()) shares = shares * reshape(cast(real, shares.dtype()), {N, 1});
    const Tensor summed = sum(shares, 0);  // [E]
    probabilities = probabilities.defined() ? probabilities + summed : summed;
  }
  if (total == 0) total = 1;
  for (double& count : counts) count *= static_cast<double>(E) / (total * total);
  const Tensor weights = cast(from_values(counts, {E}, logits[0].device()), probabilities.dtype());
  return sum(probabilities * weights);
}

}  // namespace jogak
