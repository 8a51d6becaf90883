// A classifier of texts.
#include "app/bert_text.h"
#include "app/encoder_data.h"
#include "app/encoder_open.h"
#include "app/labelled.h"
#include "app/train_job.h"
#include "base/format.h"

namespace jogak {
namespace {

struct LabelJob : TrainJob {
  explicit LabelJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<LabelData> train, valid;
};

std::unique_ptr<LabelData> encoded(const LabelledTexts& texts,
                                   const std::vector<std::string>& classes,
                                   const Tokenizer& tokenizer, int64_t context) {
  return std::make_unique<LabelData>(
      texts.texts, class_ids(texts, classes),
      [&](std::string_view text) { return tokenizer.encode_ids(text, {.special_as_text = true}); },
      LabelDataOptions{context, token_with_role(tokenizer, "pad_token", "[PAD]")});
}

}  // namespace

std::unique_ptr<TrainJob> make_label_job(const TrainCommand& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const LabelledParts parts = recipe_labelled(r.data);
  auto job = std::make_unique<LabelJob>(bert_tokenizer(c, parts.train.texts));
  const std::vector<std::string> classes =
      classes_of(parts.train.labels,
                 r.data.class_order == "first" ? ClassOrder::first_seen : ClassOrder::sorted);
  std::vector<Json::Member> changes = tokenizer_settings(job->tokenizer, r);
  changes.push_back(architecture("BertForSequenceClassification"));
  for (auto& setting : label_settings(classes)) changes.push_back(std::move(setting));
  job->model = start_encoder(r, changes, place).model;
  const Model& model = job->model;
  ensure<UsageError>(model.encoder.task == EncoderTask::classify && model.vocab > 0, "a ",
                     model.model_type, " model does not learn from texts with labels; ",
                     "model.family = \"bert\" does");
  ensure<FormatError>(job->tokenizer.vocab_size() <= model.vocab, "the tokenizer has ",
                      job->tokenizer.vocab_size(), " tokens, but the model knows ", model.vocab);
  const int64_t context =
      r.train.context > 0 ? std::min(r.train.context, model.context) : model.context;
  job->train = encoded(parts.train, classes, job->tokenizer, context);
  job->valid = encoded(parts.valid, classes, job->tokenizer, context);
  job->batch = r.train.batch;
  EncoderExamples examples;
  examples.examples = job->train->size(), examples.valid_items = job->valid->size();
  examples.batch = [data = job->train.get()](std::span<const Pick> picks) {
    return encoder_batch(data->batch(picks));
  };
  examples.valid_batch = [data = job->valid.get()](int64_t first, int64_t count) {
    return encoder_batch(data->eval_batch(first, count));
  };
  examples.about = text_of(
      parts.train.name, ": ", format_count(job->train->size()), " texts to train on, ",
      format_count(job->valid->size()), " to validate with, ", classes.size(), " classes",
      job->train->shortened() > 0
          ? text_of(", ", format_count(job->train->shortened()), " cut to ", context, " tokens")
          : "");
  job->task = encoder_task(
      model, std::move(examples),
      {.batch = job->batch,
       .metric = r.train.metric,
       .save_more = [&t = job->tokenizer](const std::string& directory) { t.save(directory); }});
  return job;
}

}  // namespace jogak
