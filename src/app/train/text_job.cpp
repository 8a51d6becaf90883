// A language model on a text or on lines.
#include "app/data/text_data.h"
#include "app/models/vocabulary.h"
#include "app/train/train_job.h"
#include "base/file.h"

namespace jogak {
namespace {

struct TextJob : TrainJob {
  explicit TextJob(Tokenizer t) : tokenizer(std::move(t)) {}
  Tokenizer tokenizer;
  std::unique_ptr<TextData> data;
};

// A resumed run keeps the tokenizer it began with.
Tokenizer run_tokenizer(const TrainRequest& c, RecipeTexts& texts) {
  if (c.resume && file_exists(join_path(c.out, "tokenizer.json"))) return Tokenizer::load(c.out);
  if (!c.recipe.model.from.empty() && c.recipe.tokenizer.from.empty())
    return Tokenizer::load(c.recipe.model.from);
  return recipe_tokenizer(c.recipe, texts);
}

Json fresh_config(const Recipe& r, const Tokenizer& tokenizer) {
  std::vector<Json::Member> settings = r.model.settings;
  bool vocab = false;
  for (const auto& setting : settings) vocab |= setting.first == "vocab_size";
  if (!vocab) settings.emplace_back("vocab_size", tokenizer.vocab_size());
  if (const auto end = tokenizer.role_id("eos_token")) {
    settings.emplace_back("eos_token_id", *end);
    settings.emplace_back("bos_token_id", *end);
  }
  return recipe_config(r.model, settings);
}

Model run_model(const Recipe& r, const Tokenizer& tokenizer, ModelPlace place) {
  place.settings = r.model.settings;
  Model model = r.model.from.empty() ? new_model(fresh_config(r, tokenizer), r.train.seed, place)
                                     : open_model(r.model.from, place);
  ensure<UsageError>(model.loss_sum != nullptr, "a ", model.model_type, " model does not learn ",
                     "from data.kind = \"", r.data.kind, "\"",
                     model.translates() ? "; it learns from \"pairs\"" : "");
  check_rows(tokenizer, model.vocab, r.model.from);
  return model;
}

int64_t example_length(const Recipe& r, const Model& model) {
  ensure<UsageError>(r.train.context <= model.context, "train.context is ", r.train.context,
                     ", but the model has positions for ", model.context);
  return r.train.context > 0 ? r.train.context : model.context;
}

}  // namespace

std::unique_ptr<TrainJob> make_text_job(const TrainRequest& c, ModelPlace place,
                                        const std::string& cache) {
  RecipeTexts texts;
  auto job = std::make_unique<TextJob>(run_tokenizer(c, texts));
  job->open = [r = c.recipe, &t = job->tokenizer](ModelPlace at) { return run_model(r, t, at); };
  job->model = job->open(place);
  job->data =
      open_text_data(c.recipe, job->tokenizer, example_length(c.recipe, job->model), cache, texts);
  job->batch = c.recipe.train.batch;
  job->task = text_task(job->model, *job->data, job->tokenizer, c.recipe.train);
  add_tokenizer(job->task, "tokenizer", job->tokenizer);
  return job;
}

}  // namespace jogak
