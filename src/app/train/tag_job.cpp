// A model that labels the words of a sentence.
#include "app/data/labelled.h"
#include "app/train/bert_job.h"

namespace jogak {
namespace {

std::vector<std::string> sentences_of(const TaggedTexts& texts) {
  std::vector<std::string> out;
  for (const auto& sentence : texts.sentences) out.push_back(joined_words(sentence));
  return out;
}

}  // namespace

std::unique_ptr<TrainJob> make_tag_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const TaggedParts parts = recipe_tagged(r.data);
  auto job =
      std::make_unique<BertJob<TagData>>(bert_tokenizer(r, c.resumed(), sentences_of(parts.train)));
  const std::vector<std::string> classes =
      classes_of(tags_of(parts.train),
                 r.data.class_order == "first" ? ClassOrder::first_seen : ClassOrder::sorted);
  const int64_t context =
      start_bert(*job, r, {EncoderTask::tag, "words with tags"}, label_settings(classes), place);
  job->train = std::make_unique<TagData>(tag_data(parts.train, classes, job->tokenizer, context));
  job->valid = std::make_unique<TagData>(tag_data(parts.valid, classes, job->tokenizer, context));
  finish_bert(*job, r, job->valid->size(),
              about_texts(parts.train.name, " sentences to train on, ", " tags", *job,
                          classes.size(), context));
  return job;
}

}  // namespace jogak
