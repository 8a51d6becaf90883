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

std::unique_ptr<TrainJob> make_masked_job(const TrainRequest& c, ModelPlace place,
                                          const std::string& cache) {
  const Recipe& r = c.recipe;
  const RecipeLines lines = by_lines(r.data) ? recipe_lines(r.data) : RecipeLines{};
  const bool ready = !r.tokenizer.from.empty() || !r.model.from.empty();
  auto job = std::make_unique<MaskedJob>(
      bert_tokenizer(r, c.resumed(), ready ? std::vector<std::string>{} : texts_of(r.data, lines)));
  const int64_t context =
      start_bert(*job, r, {"BertForMaskedLM", EncoderTask::fill, "masked text"}, {}, place);
  open_data(*job, r, lines, context, cache);
  finish_bert(*job, r, job->valid->eval_size(),
              text_of(r.data.make.empty() ? r.data.train : r.data.make, ": ",
                      format_count(job->train->tokens()), " tokens to train on, ",
                      format_count(job->valid->tokens()), " to validate with, ",
                      fixed(100 * r.data.mask_share, 0), " % hidden"));
  return job;
}

}  // namespace jogak
