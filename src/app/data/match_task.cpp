// Learning which text goes with which image, and how well that went.
#include <algorithm>
#include <memory>

#include "app/data/captions.h"
#include "autograd/autograd.h"
#include "ops/mul.h"

namespace jogak {
namespace {

Tensor scores_of(const Model& model, const CaptionBatch& b, Run& run) {
  const MatchModel& match = model.match;
  const Tensor images = match.image(b.pixels, run);
  return match.scores(images, match.text(b.ids, b.mask, run));  // [B, B]
}

// A batch's loss is the mean of its pairs, each told apart from the others of the batch.
LossSum match_loss(const Model& model, const CaptionBatch& b, Run& run) {
  const Tensor mean = model.match.loss(scores_of(model, b, run));
  return {mean * static_cast<double>(b.count), b.count};
}

void count_found(const std::vector<float>& scores, const Tensor& ids, MatchScores& out) {
  const auto n = static_cast<size_t>(ids.dim(0)), width = static_cast<size_t>(ids.dim(1));
  const std::vector<int64_t> all = to_host<int64_t>(ids);
  const auto alike = [&](size_t a, size_t b) {
    const auto row = [&](size_t i) { return all.begin() + static_cast<ptrdiff_t>(i * width); };
    return std::equal(row(a), row(a + 1), row(b));
  };
  for (size_t i = 0; i < n; ++i) {
    size_t text = 0, image = 0;
    for (size_t j = 1; j < n; ++j) {
      if (scores[i * n + j] > scores[i * n + text]) text = j;
      if (scores[j * n + i] > scores[image * n + i]) image = j;
    }
    out.texts_found += alike(i, text), out.images_found += alike(i, image);
  }
}

}  // namespace

MatchScores score_matches(const Model& model, const CaptionData& data, int64_t batch, Run& run,
                          const std::function<void(int64_t)>& progress) {
  const NoGrad quiet;
  MatchScores out;
  double sum = 0;
  for (int64_t first = 0; first < data.size(); first += batch) {
    if (!run.takes(first, batch, data.size())) continue;
    const CaptionBatch b = data.eval_batch(first, batch);
    const Tensor scores = scores_of(model, b, run);
    sum += item(cast(model.match.loss(scores), DType::f64)) * static_cast<double>(b.count);
    out.pairs += b.count;
    count_found(to_host<float>(cast(scores, DType::f32)), b.ids, out);
    if (progress) progress(first);
  }
  ensure<Error>(out.pairs > 0, "scores: no pair counts");
  out.loss = sum / static_cast<double>(out.pairs);
  return out;
}

TrainTask match_task(const Model& model, const CaptionData& train, const CaptionData& valid,
                     const MatchTaskOptions& options) {
  TrainTask task;
  task.examples = train.size();
  task.of_tokens = false;
  // Where a text ends is looked up on the host: a recorded step would look where another ended.
  task.prepare =
      [make = prepare_with([&train](std::span<const Pick> picks) { return train.batch(picks); },
                           [&model](const CaptionBatch& b, Run& run) {
                             return match_loss(model, b, run);
                           })](std::span<const Pick> picks) {
        BatchLoss out = make(picks);
        out.steady = false;
        return out;
      };
  const auto last = std::make_shared<MatchScores>();
  task.validate = [&model, &valid, last, batch = options.batch](Run& run) {
    *last = score_matches(model, valid, batch, run);
    return last->loss;
  };
  ensure<UsageError>(options.metric == "loss" || options.metric == "accuracy", "train.metric is \"",
                     options.metric, "\", wanted loss or accuracy for this data");
  if (options.metric == "accuracy") {
    task.score_name = options.metric;
    task.score = [last](Run&) { return last->image_to_text(); };
  }
  task.save_model = [&model, more = options.save_more](const std::string& directory) {
    save_model(model, directory);
    if (more) more(directory);
  };
  task.config = model.config.dump();
  return task;
}

}  // namespace jogak
