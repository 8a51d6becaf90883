// A classifier of texts.
#include "app/data/labelled.h"
#include "app/train/bert_job.h"

namespace jogak {
namespace {

std::unique_ptr<LabelData> encoded(const LabelledTexts& texts,
                                   const std::vector<std::string>& classes,
                                   const Tokenizer& tokenizer, int64_t context) {
  return std::make_unique<LabelData>(
      texts.texts, class_ids(texts, classes),
      [&](std::string_view text) { return tokenizer.encode_ids(text, {.special_as_text = true}); },
      LabelDataOptions{context, token_with_role(tokenizer, "pad_token", "[PAD]")});
}

}  // namespace

std::unique_ptr<TrainJob> make_label_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const LabelledParts parts = recipe_labelled(r.data);
  auto job =
      std::make_unique<BertJob<LabelData>>(bert_tokenizer(r, c.resumed(), parts.train.texts));
  const std::vector<std::string> classes =
      classes_of(parts.train.labels,
                 r.data.class_order == "first" ? ClassOrder::first_seen : ClassOrder::sorted);
  const int64_t context = start_bert(*job, r, {EncoderTask::classify, "texts with labels"},
                                     label_settings(classes), place);
  job->train = encoded(parts.train, classes, job->tokenizer, context);
  job->valid = encoded(parts.valid, classes, job->tokenizer, context);
  finish_bert(*job, r, job->valid->size(),
              about_texts(parts.train.name, " texts to train on, ", " classes", *job,
                          classes.size(), context));
  return job;
}

}  // namespace jogak
