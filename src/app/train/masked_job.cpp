// A model of masked text: a long one, or lines; or one that finds tokens that were replaced there.
#include <optional>

#include "app/data/replaced_data.h"
#include "app/data/text_data.h"
#include "app/train/bert_job.h"
#include "base/file.h"
#include "base/format.h"
#include "data/line_data.h"

namespace jogak {
namespace {

using MaskedJob = BertJob<MaskedData>;
struct ReplacedJob : BertJob<ReplacedData> {
  using BertJob::BertJob;
  std::optional<Model> generator;  // none: other tokens are put in at random
};

bool by_lines(const DataRecipe& d) { return d.kind == "masked-lines" || !d.make.empty(); }

// What a tokenizer is trained on.
std::vector<std::string> texts_of(const DataRecipe& d, RecipeTexts& read) {
  if (by_lines(d)) return read.lines->train;
  read.train = recipe_text(d.train, d);
  return {*read.train->text()};
}

struct MaskedParts {
  MaskedData train, valid;
};
MaskedParts open_data(const Tokenizer& tokenizer, const Masking& masking, const Recipe& r,
                      RecipeTexts& read, int64_t context, const std::string& cache) {
  const DataRecipe& d = r.data;
  if (!by_lines(d)) {
    auto [train, valid] = token_files(r, tokenizer, cache, read);
    return {MaskedData(std::move(train), context, masking),
            MaskedData(std::move(valid), context, masking)};
  }
  const std::string name = d.make.empty() ? d.train : d.make;
  const auto open = [&](const std::vector<std::string>& from) {
    return MaskedData(from, name, plain_encode(tokenizer), context, masking);
  };
  return {open(read.lines->train), open(read.lines->valid)};
}

template <class Job>
void finish_masked(Job& job, const Recipe& r, const char* what) {
  finish_bert(job, r, job.valid->eval_size(),
              text_of(r.data.make.empty() ? r.data.train : r.data.make, ": ",
                      format_count(job.train->tokens()), " tokens to train on, ",
                      format_count(job.valid->tokens()), " to validate with, ",
                      fixed(100 * r.data.mask_share, 0), what));
}

// The generator stays as it is: it was trained before, by a recipe of its own.
std::unique_ptr<TrainJob> make_replaced_job(const Recipe& r, ModelPlace place, RecipeTexts& read,
                                            Tokenizer tokenizer, const std::string& cache) {
  auto job = std::make_unique<ReplacedJob>(std::move(tokenizer));
  const int64_t context =
      start_bert(*job, r, {EncoderTask::detect, "text with replaced tokens", "electra"}, {}, place);
  Masking masking = masking_for(job->tokenizer, r.data.mask_share, r.train.seed);
  const bool guesses = r.data.generator != "random";
  masking.masked = guesses ? 1 : 0, masking.random = guesses ? 0 : 1;
  if (guesses) {
    job->generator =
        open_model(r.data.generator, {.device = place.device, .use = WeightUse::as_stored});
    const Model& model = *job->generator;
    ensure<UsageError>(model.encodes() && model.encoder.task == EncoderTask::fill &&
                           model.vocab >= job->tokenizer.vocab_size(),
                       "data.generator: a ", model.model_type, " model of ", model.vocab,
                       " tokens, wanted one of masked text with all ", job->tokenizer.vocab_size(),
                       " of the tokenizer");
  }
  const EncoderModel* const generator = guesses ? &job->generator->encoder : nullptr;
  MaskedParts parts = open_data(job->tokenizer, masking, r, read, context, cache);
  job->train = std::make_unique<ReplacedData>(std::move(parts.train), generator, r.train.seed);
  job->valid = std::make_unique<ReplacedData>(std::move(parts.valid), generator, r.train.seed);
  finish_masked(*job, r, " % replaced");
  return job;
}

}  // namespace

std::unique_ptr<TrainJob> make_masked_job(const TrainRequest& c, ModelPlace place,
                                          const std::string& cache) {
  Recipe r = c.recipe;
  const std::string& generator = r.data.generator;
  // Both speak of the same tokens.
  if (!generator.empty() && generator != "random" && r.model.from.empty() &&
      r.tokenizer.from.empty())
    r.tokenizer.from = generator;
  RecipeTexts read;
  if (by_lines(r.data)) read.lines = recipe_lines(r.data);
  const bool ready = !r.tokenizer.from.empty() || !r.model.from.empty();
  Tokenizer tokenizer =
      bert_tokenizer(r, c.resumed(), ready ? std::vector<std::string>{} : texts_of(r.data, read));
  if (!generator.empty()) return make_replaced_job(r, place, read, std::move(tokenizer), cache);
  auto job = std::make_unique<MaskedJob>(std::move(tokenizer));
  const int64_t context = start_bert(*job, r, {EncoderTask::fill, "masked text"}, {}, place);
  MaskedParts parts =
      open_data(job->tokenizer, masking_for(job->tokenizer, r.data.mask_share, r.train.seed), r,
                read, context, cache);
  job->train = std::make_unique<MaskedData>(std::move(parts.train));
  job->valid = std::make_unique<MaskedData>(std::move(parts.valid));
  finish_masked(*job, r, " % hidden");
  return job;
}

}  // namespace jogak
