// A classifier of images.
#include <algorithm>

#include "app/data/encoder_data.h"
#include "app/data/image_files.h"
#include "app/data/labelled.h"
#include "app/models/encoder_open.h"
#include "app/train/train_job.h"
#include "base/file.h"
#include "base/format.h"

namespace jogak {
namespace {

struct ImageJob : TrainJob {
  std::unique_ptr<ImageParts> parts;
};

// Colour pictures stay in colour, unless the recipe says how many channels there are.
std::vector<Json::Member> fresh_settings(const Recipe& r, const std::vector<std::string>& classes) {
  std::vector<Json::Member> out = label_settings(classes);
  const bool said = std::any_of(r.model.settings.begin(), r.model.settings.end(),
                                [](const auto& one) { return one.first == "num_channels"; });
  if (r.model.from.empty() && r.model.family == "vit" && !said && has_colour(r.data))
    out.emplace_back("num_channels", 3);
  return out;
}

}  // namespace

std::unique_ptr<TrainJob> make_image_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  const std::vector<std::string> classes = recipe_image_classes(r.data);
  auto job = std::make_unique<ImageJob>();
  job->open = [r, settings = fresh_settings(r, classes)](ModelPlace at) {
    return start_encoder(r, EncoderTask::classify, settings, at).model;
  };
  job->model = job->open(place);
  const EncoderModel& model = job->model.encoder;
  ensure<UsageError>(model.task == EncoderTask::classify && model.image[0] > 0, "a ",
                     job->model.model_type,
                     " model does not learn from images; model.family = \"vit\" does");
  const ImageInput input = image_input(r.model.from, model);
  job->parts = std::make_unique<ImageParts>(recipe_images(r.data, input));
  job->batch = r.train.batch;
  const ImageSet &train = job->parts->train, &valid = job->parts->valid;
  EncoderExamples examples;
  examples.examples = train.size(), examples.valid_items = valid.size();
  examples.batch = [&train](std::span<const Pick> picks) {
    return encoder_batch(train.batch(picks));
  };
  examples.valid_batch = [&valid](int64_t first, int64_t count) {
    return encoder_batch(valid.eval_batch(first, count));
  };
  examples.about = text_of(train.name(), ": ", format_count(train.size()), " images to train on, ",
                           format_count(valid.size()), " to validate with, ", classes.size(),
                           " classes, ", input.height, " x ", input.width, " x ", input.channels);
  job->task = encoder_task(job->model, std::move(examples),
                           {.batch = job->batch,
                            .metric = r.train.metric,
                            .label_smoothing = r.train.label_smoothing,
                            .save_more = [input](const std::string& directory) {
                              write_file(join_path(directory, "preprocessor_config.json"),
                                         to_json(input).dump(2) + "\n");
                            }});
  return job;
}

}  // namespace jogak
