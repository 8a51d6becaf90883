#include "app/data/encoder_data.h"

#include <algorithm>
#include <memory>

#include "app/data/bert_text.h"
#include "autograd/autograd.h"

namespace jogak {
namespace {

LossSum loss_of(const Model& model, const EncoderBatch& batch, double smoothing, Run& run) {
  const Tensor predicted = model.encoder.predict(batch.input, run);
  const CrossEntropyOptions how{.label_smoothing = smoothing, .reduction = Reduction::sum};
  return {model.encoder.loss(predicted, batch.targets, how), batch.count};
}

// The highest of each row; the first of equals.
void append_best(const Tensor& logits, std::vector<int64_t>& out) {
  const std::vector<float> values = to_host<float>(cast(logits, DType::f32));
  const auto width = static_cast<size_t>(logits.dim(-1));
  for (size_t row = 0; row < values.size(); row += width) {
    const auto begin = values.begin() + static_cast<int64_t>(row);
    out.push_back(std::max_element(begin, begin + static_cast<int64_t>(width)) - begin);
  }
}

// The words of each sentence, by the places that count.
void add_tags(const Tensor& logits, const Tensor& targets, const std::vector<std::string>& names,
              EncoderScores& scores, std::vector<int64_t>& found, std::vector<int64_t>& wanted) {
  std::vector<int64_t> best;
  append_best(logits, best);
  const std::vector<int64_t> tags = to_host<int64_t>(targets);
  const auto width = static_cast<size_t>(targets.dim(1));
  for (size_t row = 0; row < tags.size(); row += width) {
    const size_t first = wanted.size();
    for (size_t i = row; i < row + width; ++i) {
      if (tags[i] < 0) continue;
      found.push_back(best[i]);
      wanted.push_back(tags[i]);
    }
    if (scores.by_entities)
      scores.entities.add(std::span(found).subspan(first), std::span(wanted).subspan(first), names);
  }
}

}  // namespace

EncoderBatch encoder_batch(const LabelBatch& b) {
  return {{.values = b.ids, .mask = b.mask}, b.targets, b.count};
}

EncoderBatch encoder_batch(const SpanBatch& b) {
  return {{.values = b.ids, .mask = b.mask, .token_types = b.types}, b.targets, b.count};
}

EncoderBatch encoder_batch(const MaskedBatch& b) {
  return {{.values = b.ids, .mask = b.mask, .wanted = b.wanted}, b.targets, b.tokens};
}

EncoderBatch encoder_batch(const ImageBatch& b) {
  return {{.values = b.pixels}, b.targets, b.count};
}

EncoderBatch encoder_batch(const SeriesBatch& b) {
  return {{.values = b.past}, b.future, b.values};
}

TagData tag_data(const TaggedTexts& texts, const std::vector<std::string>& classes,
                 const Tokenizer& tokenizer, int64_t context) {
  return TagData(
      texts, classes,
      [&](std::string_view text) { return tokenizer.encode(text, {.special_as_text = true}); },
      {context, token_with_role(tokenizer, "pad_token", "[PAD]")});
}

TrainTask encoder_task(const Model& model, EncoderExamples examples,
                       const EncoderTaskOptions& options) {
  TrainTask task;
  task.examples = examples.examples;
  task.of_tokens = model.encoder.task == EncoderTask::fill;
  ensure<UsageError>(options.label_smoothing == 0 || model.encoder.task != EncoderTask::forecast,
                     "train.label_smoothing is ", options.label_smoothing, ", but a ",
                     model.model_type, " model predicts no classes");
  task.prepare = prepare_with(examples.batch, [&model, smoothing = options.label_smoothing](
                                                  const EncoderBatch& b, Run& run) {
    return loss_of(model, b, smoothing, run);
  });
  // The score comes right after the loss and of the same pass.
  const auto last = std::make_shared<EncoderScores>();
  task.validate = [&model, last, at = examples.valid_batch, items = examples.valid_items,
                   batch = options.batch](Run& run) {
    *last = score_encoder(model, items, batch, at, run);
    return last->loss;
  };
  if (options.metric == "accuracy" || options.metric == "f1") {
    const EncoderTask kind = model.encoder.task;
    ensure<UsageError>(kind == EncoderTask::classify || kind == EncoderTask::tag,
                       "train.metric is \"", options.metric, "\", which a ", model.model_type,
                       " model for this data does not have");
    task.score_name = options.metric;
    task.score = [last, f1 = options.metric == "f1"](Run&) {
      return f1 ? last->f1() : last->classes.accuracy();
    };
  } else {
    ensure<UsageError>(options.metric == "loss", "train.metric is \"", options.metric,
                       "\", wanted loss, accuracy or f1 for this data");
  }
  task.save_model = [&model, more = options.save_more](const std::string& directory) {
    save_model(model, directory);
    if (more) more(directory);
  };
  task.config = model.config.dump();
  task.data = examples.about;
  return task;
}

EncoderScores score_encoder(const Model& model, int64_t items, int64_t batch, const BatchAt& at,
                            Run& run, const std::function<void(int64_t)>& progress) {
  ensure<Error>(items >= 1 && batch >= 1, "scores: ", items, " items, ", batch,
                " at a time: wanted at least one of both");
  const NoGrad quiet;
  EncoderScores out;
  const Labels& labels = model.encoder.labels;
  out.by_entities = model.encoder.task == EncoderTask::tag && are_entity_tags(labels.names);
  std::vector<int64_t> found, wanted;
  double sum = 0;
  for (int64_t first = 0; first < items; first += batch) {
    if (!run.takes(first, batch, items)) continue;
    const EncoderBatch b = at(first, std::min(batch, items - first));
    const Tensor predicted = model.encoder.predict(b.input, run);
    sum += item(
        cast(model.encoder.loss(predicted, b.targets, {.reduction = Reduction::sum}), DType::f64));
    out.targets += b.count;
    if (model.encoder.task == EncoderTask::classify) {
      append_best(predicted, found);
      for (const int64_t id : to_host<int64_t>(b.targets)) wanted.push_back(id);
    } else if (model.encoder.task == EncoderTask::tag) {
      add_tags(predicted, b.targets, labels.names, out, found, wanted);
    } else if (model.encoder.task == EncoderTask::forecast) {
      out.values.add(to_host<float>(cast(point_forecast(model.encoder, predicted), DType::f32)),
                     to_host<float>(b.targets));
    }
    if (progress) progress(first);
  }
  ensure<Error>(out.targets > 0, "scores: no target counts");
  out.loss = sum / static_cast<double>(out.targets);
  out.classes = score_classes(found, wanted);
  return out;
}

}  // namespace jogak
