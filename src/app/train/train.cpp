#include "app/train/train.h"

#include <cmath>
#include <optional>

#include "app/models/device.h"
#include "app/models/target_run.h"
#include "app/train/recipe_lora.h"
#include "app/train/rehearsal.h"
#include "app/train/run_inputs.h"
#include "app/train/train_job.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "base/read_digests.h"
#include "data/token_file.h"
#include "look/switches.h"
#include "train/memory.h"
#include "train/resume.h"
#include "train/together.h"
#include "train/trainer.h"

namespace jogak {
namespace {

TrainOptions train_options(const TrainRequest& c, const TrainJob& job) {
  TrainOptions o;
  static_cast<LearnOptions&>(o) = c.recipe.train;
  o.batch = job.batch;
  o.schedule.steps = o.steps, o.schedule.width = job.model.width;
  o.out = c.out, o.resume = c.resume, o.accept_changes = c.accept_changes;
  o.stop = c.stop, o.lang = c.lang, o.group = c.group;
  return o;
}

// Parts that training does without are off in every pass of the task.
std::unique_ptr<Probe> train_without(const std::string& off, TrainTask& task) {
  if (off.empty() || off == "none") return nullptr;
  auto probe = std::make_unique<Ablation>(parse_switches(off));
  task.prepare = [inner = task.prepare, probe = probe.get()](std::span<const Pick> picks) {
    return BatchLoss([batch = inner(picks), probe](Run& run) {
      run.probe = probe;
      LossSum out = batch(run);
      try {
        probe->check_used();
      } catch (const UsageError& error) {
        fail<UsageError>("\"train.off\": ", error.what());
      }
      return out;
    });
  };
  const auto watched = [probe = probe.get()](std::function<double(Run&)> inner) {
    if (!inner) return inner;
    return std::function<double(Run&)>([inner, probe](Run& run) {
      run.probe = probe;
      return inner(run);
    });
  };
  task.validate = watched(task.validate);
  task.score = watched(task.score);
  return probe;
}

// A family that is named beside a directory must be the directory's.
void ensure_family(const ModelRecipe& model) {
  const std::string file = join_path(model.from, "config.json");
  if (model.from.empty() || model.family == ModelRecipe().family || !file_exists(file)) return;
  const std::string found = family_of(read_json_file(file), file).name;
  ensure<UsageError>(model.family == found, "model.family is \"", model.family, "\", but ",
                     model.from, " is a ", found, " model");
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

const char* name_of(TrainEnd end) {
  constexpr const char* kEnds[] = {"finished", "early", "stopped"};
  return kEnds[static_cast<size_t>(end)];
}

// OutOfMemory where the run would take more than there is, with what would fit.
void ensure_fits(const TrainRequest& c, const TrainJob& job, CountingDevice& counting) {
  const TrainOptions options = train_options(c, job);
  Device& there = model_device();
  const TrainPrediction wanted = rehearse(job, options, counting, there);
  if (wanted.fits()) return;
  std::optional<TrainPrediction> in_bf16;
  if (wanted.on_gpu && c.recipe.train.dtype == "f32") {
    CountingDevice apart;
    const ModelPlace place{
        .device = &apart, .lora = recipe_lora(c.recipe), .use = WeightUse::mixed};
    in_bf16 = rehearse(*make_job(c, place, join_path(c.out, "cache")), options, apart, there);
  }
  refuse_size(wanted, batch_that_fits(job, options, counting, there), in_bf16);
}

}  // namespace

TrainSummary run_training(const TrainRequest& asked) {
  check_recipe(asked.recipe, "recipe");
  const WeightUse use = trained_use(asked.recipe.train.dtype, "train");
  SoloGroup solo;
  ProcessGroup& group = asked.group ? *asked.group : solo;
  Together together(group);
  std::optional<TargetRun> target;
  TrainRequest c = asked;
  together.in_first([&] {
    const std::string& from = asked.recipe.model.from;
    ensure<UsageError>(asked.recipe.train.lora_rank == 0 || !same_path(from, asked.out), asked.out,
                       ": is the model that adapters are trained for; choose another directory");
    ensure_family(asked.recipe.model);
    target.emplace(Target{asked.out, asked.overwrite, {from}}, asked.resume);
    c.out = target->path();
  });
  c.out = group.text_from(0, c.out);
  const int64_t reached = c.resume && target ? newest_checkpoint(c.out) : -1;
  const LoraConfig lora = recipe_lora(c.recipe);
  CountingDevice counting;
  const ReadDigests what_is_read;
  std::unique_ptr<TrainJob> job;
  const auto make = [&](const std::string& cache) {
    try {
      job = make_job(c, {.device = &counting, .lora = lora, .use = use}, cache);
    } catch (const FormatError&) {
      if (reached >= 0 && !c.accept_changes)
        ensure_same_inputs(c.out, reached, run_inputs(c.recipe));
      throw;
    }
  };
  together.in_first([&] {
    ensure<UsageError>(reached <= c.recipe.train.steps, c.out, ": the run is at step ", reached,
                       ", beyond the ", c.recipe.train.steps, " steps it is asked for");
    if (reached >= 0) ensure_begun_alike(c.recipe, c.out);
    make_directories(c.out);
    make(join_path(c.out, "cache"));
  });
  together.in_all([&] {  // the others find what the first has kept, where they can see it
    const std::string cache = join_path(c.out, "cache");
    if (!job) make(is_directory(cache) ? cache : "");
    check_targets(lora, *job->model.store);
    if (!c.force) ensure_fits(c, *job, counting);
    job->model = job->open({.lora = lora, .use = use});
  });
  if (!c.quiet) {
    log_info(text_of(c.lang == Lang::ko ? "데이터  " : "data    ", job->task.data));
    log_info(text_of(c.lang == Lang::ko ? "모델    " : "model   ", job->model.model_type, ", ",
                     format_count(job->model.store->count()),
                     c.lang == Lang::ko ? "개 매개변수" : " parameters"));
  }
  for (auto& input : run_inputs(c.recipe)) job->task.inputs.push_back(std::move(input));
  const auto whole_loss = job->task.validate;
  const std::unique_ptr<Probe> without = train_without(c.recipe.train.off, job->task);
  TrainOptions options = train_options(c, *job);
  options.on_begin = [&c] { write_file(join_path(c.out, "recipe.toml"), to_toml(c.recipe)); };
  const TrainResult result = train(*job->model.store, job->task, options);
  TrainSummary out{.end = result.end,
                   .step = result.step,
                   .train_loss = result.train_loss,
                   .valid_loss = result.valid_loss,
                   .best_loss = result.best_loss,
                   .score_name = job->task.score ? job->task.score_name : "",
                   .best_score = result.best_score,
                   .tokens_per_s = result.tokens_per_s};
  if (without && whole_loss && target) {  // the same weights with every part on again
    Run run;
    out.whole_loss = whole_loss(run);
  }
  if (!job->task.of_tokens) out.examples_per_s = result.examples_per_s;
  if (c.recipe.train.average > 1) out.averaged = result.averaged;
  out.peak_rss_mb = static_cast<double>(peak_resident_bytes()) / 1e6;
  out.out = c.out;
  if (result.end == TrainEnd::stopped) return out;  // not whole yet
  if (target) target->finish();
  out.out = asked.out;
  return out;
}

TrainPrediction predict_training(const TrainRequest& c, int64_t processes) {
  check_recipe(c.recipe, "recipe");
  CountedGroup group({0, processes});
  const WeightUse use = trained_use(c.recipe.train.dtype, "train");
  CountingDevice counting;
  const auto job =
      make_job(c, {.device = &counting, .lora = recipe_lora(c.recipe), .use = use}, kDroppedTokens);
  TrainOptions options = train_options(c, *job);
  options.group = &group;
  return rehearse(*job, options, counting, model_device());
}

Json to_json(const TrainSummary& s) {
  Json out = Json::object();
  out.set("schema", 1).set("step", s.step);
  out.set("train_loss", number_or_null(s.train_loss));
  out.set("valid_loss", number_or_null(s.valid_loss));
  out.set("best_loss", number_or_null(s.best_loss));
  if (s.whole_loss) out.set("whole_loss", number_or_null(*s.whole_loss));
  if (!s.score_name.empty()) out.set("best_" + s.score_name, number_or_null(s.best_score));
  if (s.averaged) out.set("averaged", *s.averaged);
  out.set("tokens_per_s", s.tokens_per_s);
  if (s.examples_per_s) out.set("examples_per_s", *s.examples_per_s);
  out.set("peak_rss_mb", s.peak_rss_mb);
  return std::move(out.set("end", name_of(s.end)));
}

}  // namespace jogak
