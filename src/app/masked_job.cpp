// A model of masked text: a long one, or lines.
#include "app/bert_text.h"
#include "app/encoder_data.h"
#include "app/encoder_open.h"
#include "app/text_data.h"
#include "app/train_job.h"
#include "base/file.h"
#include "base/format.h"
#include "data/line_data.h"

namespace jogak {
namespace {

struct MaskedJob : TrainJob {
  explicit MaskedJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<MaskedData> train, valid;
};

bool by_lines(const DataRecipe& d) { return d.kind == "masked-lines" || !d.make.empty(); }

// What a tokenizer is trained on.
std::vector<std::string> texts_of(const DataRecipe& d, const RecipeLines& lines) {
  if (by_lines(d)) return lines.train;
  return {recipe_text(d.train, d)};
}

std::unique_ptr<MaskedData> of_text(const Recipe& r, const Tokenizer& tokenizer, int64_t context,
                                    const std::string& cache, bool train) {
  const DataRecipe& d = r.data;
  TokenSource source;
  source.text = find_data(train || d.valid.empty() ? d.train : d.valid, d.where);
  source.encode = plain_encode(tokenizer);
  source.vocab_size = tokenizer.vocab_size();
  source.tokenizer = tokenizer.to_json();
  source.cache_directory = cache;
  if (d.valid.empty()) (train ? source.to : source.from) = 1 - d.valid_share;
  return std::make_unique<MaskedData>(TokenFile(source), context,
                                      masking_for(tokenizer, d.mask_share, r.train.seed));
}

void open_data(MaskedJob& job, const Recipe& r, const RecipeLines& lines, int64_t context,
               const std::string& cache) {
  const DataRecipe& d = r.data;
  if (!by_lines(d)) {
    job.train = of_text(r, job.tokenizer, context, cache, true);
    job.valid = of_text(r, job.tokenizer, context, cache, false);
    return;
  }
  const std::string name = d.make.empty() ? d.train : d.make;
  const auto open = [&](const std::vector<std::string>& from) {
    return std::make_unique<MaskedData>(from, name, plain_encode(job.tokenizer), context,
                                        masking_for(job.tokenizer, d.mask_share, r.train.seed));
  };
  job.train = open(lines.train);
  job.valid = open(lines.valid);
}

}  // namespace

std::unique_ptr<TrainJob> make_masked_job(const TrainCommand& c, ModelPlace place,
                                          const std::string& cache) {
  const Recipe& r = c.recipe;
  const RecipeLines lines = by_lines(r.data) ? recipe_lines(r.data) : RecipeLines{};
  const bool ready = !r.tokenizer.from.empty() || !r.model.from.empty();
  auto job = std::make_unique<MaskedJob>(
      bert_tokenizer(c, ready ? std::vector<std::string>{} : texts_of(r.data, lines)));
  std::vector<Json::Member> changes = tokenizer_settings(job->tokenizer, r);
  changes.push_back(architecture("BertForMaskedLM"));
  job->model = start_encoder(r, changes, place).model;
  const Model& model = job->model;
  ensure<UsageError>(model.encoder.task == EncoderTask::fill, "a ", model.model_type,
                     " model does not learn masked text; model.family = \"bert\" does");
  ensure<FormatError>(job->tokenizer.vocab_size() <= model.vocab, "the tokenizer has ",
                      job->tokenizer.vocab_size(), " tokens, but the model knows ", model.vocab);
  const int64_t context =
      r.train.context > 0 ? std::min(r.train.context, model.context) : model.context;
  open_data(*job, r, lines, context, cache);
  job->batch = r.train.batch;
  EncoderExamples examples;
  examples.examples = job->train->size(), examples.valid_items = job->valid->eval_size();
  examples.batch = [data = job->train.get()](std::span<const Pick> picks) {
    return encoder_batch(data->batch(picks));
  };
  examples.valid_batch = [data = job->valid.get()](int64_t first, int64_t count) {
    return encoder_batch(data->eval_batch(first, count));
  };
  examples.about = text_of(r.data.make.empty() ? r.data.train : r.data.make, ": ",
                           format_count(job->train->tokens()), " tokens to train on, ",
                           format_count(job->valid->tokens()), " to validate with, ",
                           fixed(100 * r.data.mask_share, 0), " % hidden");
  job->task = encoder_task(
      model, std::move(examples),
      {.batch = job->batch,
       .metric = r.train.metric,
       .save_more = [&t = job->tokenizer](const std::string& directory) { t.save(directory); }});
  return job;
}

}  // namespace jogak
