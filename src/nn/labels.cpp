#include "nn/labels.h"

#include <charconv>

#include "ops/mul.h"
#include "ops/regression.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

constexpr int64_t kMostLabels = 1 << 20;
constexpr const char* kProblems[] = {"", "single_label_classification",
                                     "multi_label_classification", "regression"};

// {"0": "cat", "1": "dog"}: every id from 0 on, once.
std::vector<std::string> read_names(const Fields& fields) {
  const Json& map = fields.at("id2label");
  const auto wrong = [&](const Json& at) {
    fields.wrong(at, "id2label", "an object that names the ids 0, 1, 2, ..");
  };
  if (!map.is_object() || map.members().empty()) wrong(map);
  const auto count = static_cast<int64_t>(map.members().size());
  std::vector<std::string> names(map.members().size());
  for (const auto& [key, name] : map.members()) {
    int64_t id = -1;
    std::from_chars(key.data(), key.data() + key.size(), id);
    if (id < 0 || id >= count || std::to_string(id) != key || !name.is_string()) wrong(name);
    names[static_cast<size_t>(id)] = name.text();  // keys differ, so each id comes once
  }
  return names;
}

// The loss is a mean; of the sum it is as many times.
Tensor reduced(const Tensor& mean, int64_t count, Reduction reduction) {
  return reduction == Reduction::mean ? mean : mean * static_cast<double>(count);
}

}  // namespace

Problem Labels::problem_for(const Tensor& targets) const {
  if (problem != Problem::by_targets) return problem;
  if (count() == 1) return Problem::regression;
  return is_float(targets.dtype()) ? Problem::multi_label : Problem::single_label;
}

Labels read_labels(const Fields& f) {
  Labels out;
  if (f.has("id2label")) {
    out.names = read_names(f);
  } else {
    out.names.clear();
    const int64_t count = f.integer_or("num_labels", 2, {1, kMostLabels});
    for (int64_t i = 0; i < count; ++i) out.names.push_back(text_of("LABEL_", i));
  }
  if (!f.has("problem_type")) return out;
  const std::string& name = f.text("problem_type");
  for (const Problem kind : {Problem::single_label, Problem::multi_label, Problem::regression})
    if (name == kProblems[static_cast<size_t>(kind)]) out.problem = kind;
  if (out.problem == Problem::by_targets)
    f.wrong(f.at("problem_type"), "problem_type",
            text_of(kProblems[1], ", ", kProblems[2], " or ", kProblems[3]));
  if (out.problem == Problem::single_label && out.count() == 1)
    f.wrong(f.at("problem_type"), "problem_type",
            "regression or multi_label_classification where there is one label");
  return out;
}

void write_labels(const Labels& labels, Json& config) {
  Json names = Json::object(), ids = Json::object();
  for (int64_t i = 0; i < labels.count(); ++i) {
    const std::string& name = labels.names[static_cast<size_t>(i)];
    names.set(std::to_string(i), name);
    ids.set(name, i);
  }
  config.set("id2label", std::move(names)).set("label2id", std::move(ids));
  if (labels.problem != Problem::by_targets)
    config.set("problem_type", kProblems[static_cast<size_t>(labels.problem)]);
}

int64_t counted_targets(const Tensor& targets) {
  if (is_float(targets.dtype())) return targets.count();
  int64_t count = 0;
  for (const int64_t id : to_host<int64_t>(targets)) count += id != CrossEntropyOptions{}.ignored;
  return count;
}

Tensor label_loss(const Tensor& logits, const Tensor& targets, const Labels& labels,
                  Reduction reduction) {
  const Problem problem = labels.problem_for(targets);
  if (problem == Problem::single_label)
    return cross_entropy(logits, targets, {.reduction = reduction});
  ensure<ShapeError>(targets.count() == logits.count(), "targets ", targets.shape(),
                     " for predictions ", logits.shape());
  const Tensor wanted = reshape(cast(targets, logits.dtype()), logits.shape());
  const Tensor mean =
      problem == Problem::regression ? mse(logits, wanted) : binary_cross_entropy(logits, wanted);
  return reduced(mean, logits.count(), reduction);
}

}  // namespace jogak
