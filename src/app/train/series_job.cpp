// A model that forecasts series.
#include "app/data/encoder_data.h"
#include "app/data/labelled.h"
#include "app/models/encoder_open.h"
#include "app/train/train_job.h"
#include "base/file.h"

namespace jogak {
namespace {

struct SeriesJob : TrainJob {
  std::unique_ptr<SeriesData> data;
};

}  // namespace

std::unique_ptr<TrainJob> make_series_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  SeriesFile file = recipe_series(r.data);
  std::vector<Json::Member> changes = {{"num_input_channels", file.panels[0].columns()}};
  auto job = std::make_unique<SeriesJob>();
  job->open = [r, changes](ModelPlace at) {
    return start_encoder(r, EncoderTask::forecast, changes, at).model;
  };
  job->model = job->open(place);
  const EncoderModel& model = job->model.encoder;
  ensure<UsageError>(model.task == EncoderTask::forecast, "a ", job->model.model_type,
                     " model does not forecast series; model.family = \"patchtst\" does");
  job->data = std::make_unique<SeriesData>(
      std::move(file),
      SeriesData::Options{
          model.context, model.horizon, {r.data.train_rows, r.data.valid_rows, r.data.test_rows}});
  const SeriesData& data = *job->data;
  job->batch = r.train.batch;
  EncoderExamples examples;
  examples.examples = data.windows(SeriesPart::train);
  examples.valid_items = data.windows(SeriesPart::valid);
  examples.batch = [&data](std::span<const Pick> picks) {
    std::vector<int64_t> windows;
    for (const Pick& pick : picks) windows.push_back(pick.index);
    return encoder_batch(data.batch(SeriesPart::train, windows));
  };
  examples.valid_batch = [&data](int64_t first, int64_t count) {
    return encoder_batch(data.eval_batch(SeriesPart::valid, first, count));
  };
  examples.about = data.describe();
  job->task = encoder_task(job->model, std::move(examples),
                           {.batch = job->batch,
                            .metric = r.train.metric,
                            .label_smoothing = r.train.label_smoothing,
                            .save_more = [&data](const std::string& directory) {
                              write_file(join_path(directory, "series.json"),
                                         to_json(data.scaler(), data.borders()).dump(2) + "\n");
                            }});
  return job;
}

}  // namespace jogak
