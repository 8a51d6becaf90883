// What the training of every BERT shares: a tokenizer, a model that knows its tokens, and examples.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/data/bert_text.h"
#include "app/data/encoder_data.h"
#include "app/models/encoder_open.h"
#include "app/models/vocabulary.h"
#include "app/train/train_job.h"
#include "base/format.h"

namespace jogak {

template <class Data>
struct BertJob : TrainJob {
  explicit BertJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<Data> train, valid;
};

// What a model learns, and what is said when it is made for something else.
struct BertGoal {
  EncoderTask task;
  const char* data;             // "masked text"
  const char* family = "bert";  // one that learns from it
};

// The model, as `goal` and the further settings want it; returns how many tokens it reads at once.
template <class Data>
int64_t start_bert(BertJob<Data>& job, const Recipe& r, const BertGoal& goal,
                   std::vector<Json::Member> settings, ModelPlace place) {
  std::vector<Json::Member> changes = tokenizer_settings(job.tokenizer, r);
  for (auto& setting : settings) changes.push_back(std::move(setting));
  job.open = [r, task = goal.task, changes](ModelPlace at) {
    return start_encoder(r, task, changes, at).model;
  };
  job.model = job.open(place);
  const Model& model = job.model;
  ensure<UsageError>(model.encoder.task == goal.task && model.vocab > 0, "a ", model.model_type,
                     " model does not learn from ", goal.data, "; model.family = \"", goal.family,
                     "\" does");
  check_rows(job.tokenizer, model.vocab, r.model.from);
  return r.train.context > 0 ? std::min(r.train.context, model.context) : model.context;
}

// The task, once the job has its examples; `about` tells a person what they are.
template <class Data>
void finish_bert(BertJob<Data>& job, const Recipe& r, int64_t valid_items, std::string about) {
  job.batch = r.train.batch;
  EncoderExamples examples;
  examples.examples = job.train->size(), examples.valid_items = valid_items;
  examples.batch = [data = job.train.get()](std::span<const Pick> picks) {
    return encoder_batch(data->batch(picks));
  };
  examples.valid_batch = [data = job.valid.get()](int64_t first, int64_t count) {
    return encoder_batch(data->eval_batch(first, count));
  };
  examples.about = std::move(about);
  job.task = encoder_task(
      job.model, std::move(examples),
      {.batch = job.batch,
       .metric = r.train.metric,
       .label_smoothing = r.train.label_smoothing,
       .save_more = [&t = job.tokenizer](const std::string& directory) { t.save(directory); }});
  add_tokenizer(job.task, "tokenizer", job.tokenizer);
}

// "reviews.tsv: 1,000 texts to train on, 200 to validate with, 2 classes".
template <class Data>
std::string about_texts(const std::string& name, const char* items, const char* kinds,
                        const BertJob<Data>& job, size_t classes, int64_t context) {
  const int64_t cut = job.train->shortened();
  return text_of(name, ": ", format_count(job.train->size()), items,
                 format_count(job.valid->size()), " to validate with, ", classes, kinds,
                 cut > 0 ? text_of(", ", format_count(cut), " cut to ", context, " tokens") : "");
}

}  // namespace jogak
