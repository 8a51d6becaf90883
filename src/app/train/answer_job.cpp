// A model that finds answers in texts.
#include "app/data/labelled.h"
#include "app/train/bert_job.h"

namespace jogak {
namespace {

std::vector<std::string> texts_of(const QuestionTexts& all) {
  std::vector<std::string> out;
  for (const Question& q : all.questions) out.insert(out.end(), {q.question, q.context});
  return out;
}

std::unique_ptr<SpanData> span_data(const QuestionTexts& texts, const Tokenizer& tokenizer,
                                    int64_t context) {
  return std::make_unique<SpanData>(
      texts, tokenizer,
      LabelDataOptions{context, token_with_role(tokenizer, "pad_token", "[PAD]")});
}

}  // namespace

std::unique_ptr<TrainJob> make_answer_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const QuestionParts parts = recipe_questions(r.data);
  auto job =
      std::make_unique<BertJob<SpanData>>(bert_tokenizer(r, c.resumed(), texts_of(parts.train)));
  const int64_t context =
      start_bert(*job, r, {EncoderTask::answer, "questions with answers"}, {}, place);
  job->train = span_data(parts.train, job->tokenizer, context);
  job->valid = span_data(parts.valid, job->tokenizer, context);
  finish_bert(*job, r, job->valid->size(),
              text_of(parts.train.name, ": ", format_count(job->train->questions()),
                      " questions to train on, ", format_count(job->valid->questions()),
                      " to validate with, read in ", format_count(job->train->size()),
                      " parts of at most ", context, " tokens"));
  return job;
}

}  // namespace jogak
