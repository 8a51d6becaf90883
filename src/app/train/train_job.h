// What a recipe trains: model, data and tokenizer, put together for the trainer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/models/model.h"
#include "app/train/train_request.h"
#include "text/tokenizer.h"
#include "train/task.h"

namespace jogak {

// A job's task refers to its other parts, so a job stays where it was made; its model may become
// one that was opened elsewhere.
struct TrainJob {
  TrainJob() = default;
  TrainJob(const TrainJob&) = delete;
  TrainJob& operator=(const TrainJob&) = delete;
  virtual ~TrainJob() = default;

  Model model;
  std::function<Model(ModelPlace)> open = {};  // the same model elsewhere, from its beginning
  TrainTask task;
  int64_t batch = 1;  // examples of a step, as the task counts them
};

// What a run keeps of the tokenizer it began with: see TrainTask::inputs.
void add_tokenizer(TrainTask& task, const char* name, const Tokenizer& tokenizer);

// `cache` is where token files are kept (empty: in memory; kDroppedTokens: nowhere).
std::unique_ptr<TrainJob> make_job(const TrainRequest& request, ModelPlace place,
                                   const std::string& cache);
std::unique_ptr<TrainJob> make_text_job(const TrainRequest& request, ModelPlace place,
                                        const std::string& cache);
std::unique_ptr<TrainJob> make_pair_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_masked_job(const TrainRequest& request, ModelPlace place,
                                          const std::string& cache);
std::unique_ptr<TrainJob> make_label_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_tag_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_answer_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_image_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_caption_job(const TrainRequest& request, ModelPlace place);
std::unique_ptr<TrainJob> make_series_job(const TrainRequest& request, ModelPlace place);

}  // namespace jogak
