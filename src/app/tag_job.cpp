// A model that labels the words of a sentence.
#include "app/bert_text.h"
#include "app/encoder_data.h"
#include "app/encoder_open.h"
#include "app/labelled.h"
#include "app/train_job.h"
#include "base/format.h"

namespace jogak {
namespace {

struct TagJob : TrainJob {
  explicit TagJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<TagData> train, valid;
};

std::vector<std::string> sentences_of(const TaggedTexts& texts) {
  std::vector<std::string> out;
  for (const auto& sentence : texts.sentences) out.push_back(joined_words(sentence));
  return out;
}

}  // namespace

TagData tag_data(const TaggedTexts& texts, const std::vector<std::string>& classes,
                 const Tokenizer& tokenizer, int64_t context) {
  return TagData(
      texts, classes,
      [&](std::string_view text) { return tokenizer.encode(text, {.special_as_text = true}); },
      {context, token_with_role(tokenizer, "pad_token", "[PAD]")});
}

std::unique_ptr<TrainJob> make_tag_job(const TrainCommand& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const TaggedParts parts = recipe_tagged(r.data);
  auto job = std::make_unique<TagJob>(bert_tokenizer(c, sentences_of(parts.train)));
  const std::vector<std::string> classes =
      classes_of(tags_of(parts.train),
                 r.data.class_order == "first" ? ClassOrder::first_seen : ClassOrder::sorted);
  std::vector<Json::Member> changes = tokenizer_settings(job->tokenizer, r);
  changes.push_back(architecture("BertForTokenClassification"));
  for (auto& setting : label_settings(classes)) changes.push_back(std::move(setting));
  job->model = start_encoder(r, changes, place).model;
  const Model& model = job->model;
  ensure<UsageError>(model.encoder.task == EncoderTask::tag, "a ", model.model_type,
                     " model does not learn from words with tags; model.family = \"bert\" does");
  ensure<FormatError>(job->tokenizer.vocab_size() <= model.vocab, "the tokenizer has ",
                      job->tokenizer.vocab_size(), " tokens, but the model knows ", model.vocab);
  const int64_t context =
      r.train.context > 0 ? std::min(r.train.context, model.context) : model.context;
  job->train = std::make_unique<TagData>(tag_data(parts.train, classes, job->tokenizer, context));
  job->valid = std::make_unique<TagData>(tag_data(parts.valid, classes, job->tokenizer, context));
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
      parts.train.name, ": ", format_count(job->train->size()), " sentences to train on, ",
      format_count(job->valid->size()), " to validate with, ", classes.size(), " tags",
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
