#include "app/use/predictions.h"

#include <algorithm>
#include <cmath>

namespace jogak {
namespace {

std::vector<Prediction> best(std::vector<Prediction> all, size_t most) {
  const size_t count = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(count), all.end(),
                    [](const Prediction& a, const Prediction& b) {
                      return a.score != b.score ? a.score > b.score : a.index < b.index;
                    });
  all.resize(count);
  return all;
}

std::vector<Prediction> as_they_are(std::span<const float> values) {
  std::vector<Prediction> out;
  for (const float x : values) out.push_back({static_cast<int64_t>(out.size()), x});
  return out;
}

}  // namespace

std::vector<Prediction> likeliest_of(std::span<const float> logits, size_t most) {
  std::vector<Prediction> all = as_they_are(logits);
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - top);
  for (Prediction& one : all) one.score = std::exp(one.score - top) / sum;
  return best(std::move(all), most);
}

std::vector<Prediction> label_scores(std::span<const float> logits, const Labels& labels,
                                     size_t most) {
  if (labels.problem == Problem::regression) {
    std::vector<Prediction> all = as_they_are(logits);
    all.resize(std::min(most, all.size()));
    return all;
  }
  const bool apart = labels.problem == Problem::multi_label ||
                     (labels.count() == 1 && labels.problem == Problem::by_targets);
  if (!apart) return likeliest_of(logits, most);
  std::vector<Prediction> all = as_they_are(logits);
  for (Prediction& one : all) one.score = 1 / (1 + std::exp(-one.score));
  return best(std::move(all), most);
}

Json prediction_json(const std::string& label, double score) {
  Json out = Json::object();
  out.set("label", label);
  return std::move(out.set("score", score));
}

}  // namespace jogak
