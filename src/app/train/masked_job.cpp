// A model of masked text: a long one, or lines.
#include "app/data/text_data.h"
#include "app/train/bert_job.h"
#include "base/file.h"
#include "base/format.h"
#include "data/line_data.h"

namespace jogak {
namespace {

using MaskedJob = BertJob<MaskedData>;

bool by_lines(const DataRecipe& d) { return d.kind == "masked-lines" || !d.make.empty(); }

// What a tokenizer is trained on.
std::vector<std::string> texts_of(const DataRecipe& d, RecipeTexts& read) {
  if (by_lines(d)) return read.lines->train;
  read.train = recipe_text(d.train, d);
  return {*read.train->text()};
}

void open_data(MaskedJob& job, const Recipe& r, RecipeTexts& read, int64_t context,
               const std::string& cache) {
  const DataRecipe& d = r.data;
  const Masking masking = masking_for(job.tokenizer, d.mask_share, r.train.seed);
  if (!by_lines(d)) {
    auto [train, valid] = token_files(r, job.tokenizer, cache, read);
    job.train = std::make_unique<MaskedData>(std::move(train), context, masking);
    job.valid = std::make_unique<MaskedData>(std::move(valid), context, masking);
    return;
  }
  const std::string name = d.make.empty() ? d.train : d.make;
  const auto open = [&](const std::vector<std::string>& from) {
    return std::make_unique<MaskedData>(from, name, plain_encode(job.tokenizer), context, masking);
  };
  job.train = open(read.lines->train);
  job.valid = open(read.lines->valid);
}

}  // namespace

std::unique_ptr<TrainJob> make_masked_job(const TrainRequest& c, ModelPlace place,
                                          const std::string& cache) {
  const Recipe& r = c.recipe;
  RecipeTexts read;
  if (by_lines(r.data)) read.lines = recipe_lines(r.data);
  const bool ready = !r.tokenizer.from.empty() || !r.model.from.empty();
  auto job = std::make_unique<MaskedJob>(
      bert_tokenizer(r, c.resumed(), ready ? std::vector<std::string>{} : texts_of(r.data, read)));
  const int64_t context = start_bert(*job, r, {EncoderTask::fill, "masked text"}, {}, place);
  open_data(*job, r, read, context, cache);
  finish_bert(*job, r, job->valid->eval_size(),
              text_of(r.data.make.empty() ? r.data.train : r.data.make, ": ",
                      format_count(job->train->tokens()), " tokens to train on, ",
                      format_count(job->valid->tokens()), " to validate with, ",
                      fixed(100 * r.data.mask_share, 0), " % hidden"));
  return job;
}

}  // namespace jogak
