// A model that learns which sentence goes with which image.
#include <algorithm>

#include "app/data/bert_text.h"
#include "app/data/captions.h"
#include "app/data/image_files.h"
#include "app/models/encoder_open.h"
#include "app/models/vocabulary.h"
#include "app/train/train_job.h"
#include "base/file.h"
#include "base/format.h"

namespace jogak {
namespace {

struct CaptionJob : TrainJob {
  explicit CaptionJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<CaptionData> train, valid;
};

std::vector<Json::Member> text_side(const Recipe& r, const Tokenizer& tokenizer) {
  if (!r.model.from.empty() || !reads_beside(family_named(r.model.family))) return {};
  return vocabulary_settings(tokenizer, family_named(r.model.family), r.model.preset,
                             r.model.settings);
}

void check_batch(const Recipe& r) {
  const int64_t pieces = std::max(r.train.accumulate, r.train.micro_batches);
  ensure<UsageError>(r.train.batch >= 2 * pieces, "train.batch is ", r.train.batch, " in ", pieces,
                     " pieces, wanted at least two captions in each, to tell apart");
}

}  // namespace

std::unique_ptr<TrainJob> make_caption_job(const TrainRequest& c, ModelPlace place) {
  const Recipe& r = c.recipe;
  check_batch(r);
  const CaptionParts parts = recipe_captions(r.data);
  auto job = std::make_unique<CaptionJob>(bert_tokenizer(r, c.resumed(), parts.train.rows.texts));
  job->open = [r, changes = text_side(r, job->tokenizer)](ModelPlace at) {
    return start_encoder(r, EncoderTask::embed, changes, at).model;
  };
  job->model = job->open(place);
  const Model& model = job->model;
  ensure<UsageError>(model.matches(), "a ", model.model_type,
                     " model does not learn from images with captions; model.family = \"clip\" "
                     "does");
  check_rows(job->tokenizer, model.match.vocab, r.model.from);
  const int64_t most = model.match.context;
  const int64_t context = r.train.context > 0 ? std::min(r.train.context, most) : most;
  const ImageInput input = image_input(r.model.from, model.encoder);
  const auto opened = [&](const Captions& part) {
    return std::make_unique<CaptionData>(caption_data(part, input, job->tokenizer, context));
  };
  job->train = opened(parts.train), job->valid = opened(parts.valid);
  job->batch = r.train.batch;
  job->task = match_task(model, *job->train, *job->valid,
                         {.batch = job->batch,
                          .metric = r.train.metric,
                          .save_more = [&t = job->tokenizer, input](const std::string& directory) {
                            t.save(directory);
                            write_file(join_path(directory, "preprocessor_config.json"),
                                       to_json(input).dump(2) + "\n");
                          }});
  job->task.data =
      text_of(parts.train.rows.name, ": ", format_count(job->train->size()), " captions of ",
              format_count(job->train->images()), " images to train on, ",
              format_count(job->valid->size()), " to validate with");
  add_tokenizer(job->task, "tokenizer", job->tokenizer);
  return job;
}

}  // namespace jogak
