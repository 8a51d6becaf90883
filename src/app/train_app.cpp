#include "app/train_app.h"

#include <cmath>

#include "app/bench_app.h"
#include "app/model.h"
#include "app/text_data.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "data/sampler.h"
#include "train/memory.h"
#include "train/trainer.h"

namespace jogak {
namespace {

TrainOptions train_options(const TrainCommand& c, const Model& model) {
  const TrainRecipe& r = c.recipe.train;
  TrainOptions o;
  o.out = c.out, o.resume = c.resume, o.stop = c.stop, o.lang = c.lang;
  o.steps = r.steps, o.batch = r.batch, o.accumulate = r.accumulate, o.clip = r.clip;
  o.eval_every = r.eval_every, o.checkpoint_every = r.checkpoint_every, o.keep = r.keep;
  o.patience = r.patience, o.log_every = r.log_every, o.seed = r.seed;
  o.optimizer = {.kind = parse_optimizer(r.optimizer),
                 .beta1 = r.beta1,
                 .beta2 = r.beta2,
                 .eps = r.eps,
                 .weight_decay = r.weight_decay,
                 .momentum = r.momentum};
  o.schedule = {.kind = parse_schedule(r.schedule),
                .rate = r.lr,
                .final_rate = r.min_lr,
                .warmup = r.warmup,
                .steps = r.steps,
                .decay = r.decay_steps};
  o.schedule.width = model.causal.cache.kv_heads * model.causal.cache.key_width;
  return o;
}

// A resumed run keeps the tokenizer it began with.
Tokenizer run_tokenizer(const TrainCommand& c) {
  if (c.resume && file_exists(join_path(c.out, "tokenizer.json"))) return Tokenizer::load(c.out);
  if (!c.recipe.model.from.empty() && c.recipe.tokenizer.from.empty())
    return Tokenizer::load(c.recipe.model.from);
  return recipe_tokenizer(c.recipe);
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
  return preset_config(family_named(r.model.family), r.model.preset, settings);
}

Model run_model(const Recipe& r, const Tokenizer& tokenizer, ModelPlace place = {}) {
  Model model = r.model.from.empty() ? new_model(fresh_config(r, tokenizer), r.train.seed, place)
                                     : open_model(r.model.from, place);
  ensure<FormatError>(tokenizer.vocab_size() <= model.causal.vocab, "the tokenizer has ",
                      tokenizer.vocab_size(), " tokens, but the model knows ", model.causal.vocab);
  return model;
}

int64_t example_length(const Recipe& r, const Model& model) {
  const int64_t most = model.causal.cache.context;
  ensure<UsageError>(r.train.context <= most, "train.context is ", r.train.context,
                     ", but the model has positions for ", most);
  return r.train.context > 0 ? r.train.context : most;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

Json run_training(const TrainCommand& c) {
  const Tokenizer tokenizer = run_tokenizer(c);
  Model model = run_model(c.recipe, tokenizer);
  make_directories(c.out);
  const auto data = open_text_data(c.recipe, tokenizer, example_length(c.recipe, model),
                                   join_path(c.out, "cache"));
  if (!c.quiet) {
    log_info(text_of(c.lang == Lang::ko ? "자료    " : "data    ", data->describe()));
    log_info(text_of(c.lang == Lang::ko ? "모델    " : "model   ", model.model_type, ", ",
                     format_count(model.store->count()),
                     c.lang == Lang::ko ? "개 매개변수" : " parameters"));
  }
  const TrainTask task = text_task(model, *data, tokenizer, c.recipe.train.batch);
  TrainOptions options = train_options(c, model);
  options.on_begin = [&c] { write_file(join_path(c.out, "recipe.toml"), to_toml(c.recipe)); };
  const TrainResult result = train(*model.store, task, options);
  constexpr const char* kEnds[] = {"finished", "early", "stopped"};
  Json out = Json::object();
  out.set("schema", 1).set("step", result.step);
  out.set("train_loss", number_or_null(result.train_loss));
  out.set("valid_loss", number_or_null(result.valid_loss));
  out.set("best_loss", number_or_null(result.best_loss));
  out.set("tokens_per_s", result.tokens_per_s).set("peak_rss_mb", peak_rss_mb());
  return std::move(out.set("end", kEnds[static_cast<size_t>(result.end)]));
}

Json predict_training(const TrainCommand& c) {
  const Tokenizer tokenizer = run_tokenizer(c);
  int64_t parameters = 0, tokens = 0;
  const PredictedPeak peak = predict_peak([&](Device& device) {
    Model model = run_model(c.recipe, tokenizer, {.device = &device});
    parameters = model.store->count();
    const auto data = open_text_data(c.recipe, tokenizer, example_length(c.recipe, model), "");
    const TrainTask task = text_task(model, *data, tokenizer, c.recipe.train.batch);
    const TrainOptions options = train_options(c, model);
    Optimizer optimizer(*model.store, options.optimizer);
    SoloReducer reducer;
    TrainStep step(*model.store, optimizer, reducer);
    Sampler sampler(task.examples, options.seed);
    Run run;
    run.training = true;
    for (int i = 0; i < 2; ++i) {
      const std::vector<Pick> picks = sampler.next(options.batch);
      tokens =
          step(task, {.picks = picks, .accumulate = options.accumulate, .rate = 1e-3}, run).tokens;
    }
  });
  Json out = Json::object();
  out.set("schema", 1).set("parameters", parameters).set("tokens_per_step", tokens);
  out.set("tensors_mb", static_cast<double>(peak.tensors) / 1e6);
  return std::move(out.set("predicted_peak_mb", static_cast<double>(peak.total()) / 1e6));
}

}  // namespace jogak
