#include "train/trainer.h"

#include <cmath>
#include <memory>
#include <optional>

#include "autograd/autograd.h"
#include "base/log.h"
#include "base/stop.h"
#include "train/average.h"
#include "train/checkpoint.h"
#include "train/report.h"
#include "train/resume.h"
#include "train/schedule.h"
#include "train/state_shards.h"
#include "train/step.h"
#include "train/together.h"

namespace jogak {
namespace {

constexpr int64_t kMostSkipped = 10;

class Trainer {
 public:
  Trainer(ParamStore& params, const TrainTask& task, const TrainOptions& options)
      : params_(params),
        task_(task),
        options_(options),
        group_(options.group ? *options.group : solo_),
        together_(group_),
        shards_(params.trained(), group_.processes().count),
        directory_(owned(options.out)),
        optimizer_(params, options.optimizer, own_elements()),
        step_(params, optimizer_, group_),
        sampler_(task.examples, options.seed),
        state_(begin_or_resume({group_, shards_, params_, optimizer_, sampler_, directory_.get()},
                               together_, task, options)),
        saved_(to_json(state_)) {
    if (options_.schedule.steps == 0) options_.schedule.steps = options_.steps;
    run_.seed = options.seed;
    run_.stop = options.stop;
    run_.recompute = options.recompute;
    together_.in_all(
        [&] { report_.emplace(options, task.of_tokens, state_, together_.is_first()); });
    together_.in_first([&] {
      if (options_.on_begin) options_.on_begin();
    });
  }

  TrainResult run() {
    const EndsItself saves;
    try {
      validate_if_due();  // a run stopped within a validation begins with it
      while (state_.step < options_.steps && !out_of_patience()) {
        if (together_.any(stop_asked())) return finish(TrainEnd::stopped);
        one_step();
        validate_if_due();
        if (due(options_.checkpoint_every)) save();
      }
    } catch (const Stopped&) {
      return finish(TrainEnd::stopped);
    }
    return finish(out_of_patience() ? TrainEnd::early : TrainEnd::finished);
  }

 private:
  std::unique_ptr<RunDirectory> owned(const std::string& path) {  // by the first process
    std::unique_ptr<RunDirectory> out;
    together_.in_first([&] { out = std::make_unique<RunDirectory>(path); });
    return out;
  }
  std::span<const ElementRange> own_elements() const {  // empty: all
    const Processes self = group_.processes();
    if (self.count == 1) return {};
    return shards_.owned(self.index);
  }
  bool due(int64_t every) const { return every > 0 && state_.step > 0 && state_.step % every == 0; }
  bool stop_asked() const {
    return options_.stop && options_.stop->load(std::memory_order_relaxed);
  }
  bool out_of_patience() const {
    return options_.patience > 0 && state_.worse_in_row >= options_.patience;
  }

  void one_step() {
    const Sampler::Position before = sampler_.position();
    const int64_t number = state_.step + 1;
    const std::vector<Pick> picks = sampler_.next(options_.batch);
    const double rate = rate_at(options_.schedule, number);
    run_.training = true;
    run_.begin_step(static_cast<uint64_t>(number));
    StepResult result;
    try {
      const Report::Clock clock(*report_);
      result = step_(
          task_, {picks, options_.accumulate, rate, options_.clip, options_.micro_batches}, run_);
    } catch (const Stopped&) {
      sampler_.seek(before);  // as if the step had not begun
      throw;
    }
    state_.step = number;
    state_.position = sampler_.position();
    state_.updates = optimizer_.updates();
    together_.in_all([&] {
      if (result.updated()) {
        state_.skipped_in_row = 0;
        report_->step(state_, result, rate);
      } else {
        skipped(result, before);
      }
      if (options_.on_step) options_.on_step(number, result);
    });
    if (state_.skipped_in_row >= kMostSkipped) give_up();
  }

  void skipped(const StepResult& result, Sampler::Position from) {
    ++state_.skipped;
    if (state_.skipped_in_row++ == 0) state_.first_bad = result.bad;
    report_->skipped(state_, text_of(result.bad, " (examples from place ", from.index, " of epoch ",
                                     from.epoch, ")"));
  }

  [[noreturn]] void give_up() {
    state_.skipped_in_row = 0;  // whoever resumes gets ten more
    save();
    fail<Error>(options_.out, ": training stopped at step ", state_.step, ": ", kMostSkipped,
                " steps in a row could not be used; at the first of them ", state_.first_bad);
  }

  void validate_if_due() {
    const bool last = state_.step >= options_.steps;
    if (!task_.validate || state_.step == 0 || state_.validated_step >= state_.step) return;
    if (!last && !due(options_.eval_every)) return;
    const bool better = validate();
    if (better) state_.averaged = false;
    state_.worse_in_row = better ? 0 : state_.worse_in_row + 1;
    state_.validated_step = state_.step;
    together_.in_all([&] { report_->validation(state_, task_.score_name); });
  }

  // Loss and score of the weights as they are; the best so far become the model.
  bool validate() {
    together_.in_first([&] {
      run_.training = false;
      run_.begin_step(static_cast<uint64_t>(state_.step));
      const NoGrad quiet;
      state_.valid_loss = task_.validate(run_);
      if (task_.score && std::isfinite(state_.valid_loss)) state_.valid_score = task_.score(run_);
    });
    state_.valid_loss = together_.from_first(state_.valid_loss);
    state_.valid_score = together_.from_first(state_.valid_score);
    if (!std::isfinite(state_.valid_loss)) return false;
    const bool better =
        state_.best_step == 0 || (task_.score ? state_.valid_score > state_.best_score
                                              : state_.valid_loss < state_.best_loss);
    if (!better) return false;
    save_model();
    state_.best_loss = state_.valid_loss;
    state_.best_score = state_.valid_score;
    state_.best_step = state_.step;
    return true;
  }

  // The weights of the run stay as they are: it may be resumed with more steps.
  void try_average() {
    const double loss = state_.valid_loss, score = state_.valid_score;
    std::vector<std::string> directories;
    std::vector<Tensor> own;
    together_.in_first([&] {
      for (const int64_t step : directory_->checkpoints())
        directories.push_back(directory_->checkpoint(step));
      const auto wanted = static_cast<size_t>(options_.average);
      if (directories.size() > wanted)
        directories.erase(directories.begin(), directories.end() - static_cast<long>(wanted));
      for (const Param& p : params_.all())
        if (!p.frozen) own.push_back(clone(p.value));
      average_checkpoints(params_, directories);
    });
    state_.averaged = validate() || state_.averaged;
    together_.in_first([&] {
      report_->average(state_, task_.score_name, directories.size());
      size_t i = 0;
      params_.assign([&](const Param& p) { return p.frozen ? Tensor() : own[i++]; });
    });
    state_.valid_loss = loss, state_.valid_score = score;
  }

  // The model first: whatever a checkpoint says of it is then on disk.
  void save() {
    if (state_.best_step == 0) save_model();
    Json now = to_json(state_);
    const bool changed = together_.from_first(
        directory_ && (state_.step != saved_step() || now != saved_));  // else nothing was done
    NamedTensors moments;
    if (changed) moments = gather_state(group_, shards_, optimizer_);
    together_.in_first([&] {
      bool lasting = true;
      if (changed) {
        lasting = directory_->commit(state_.step, [&](const std::string& directory) {
          write_checkpoint(directory, params_, moments, state_);
        });
        saved_ = std::move(now);
      }
      if (lasting) directory_->keep_newest(std::max(options_.keep, options_.average));
    });
  }

  void save_model() {
    together_.in_first([&] {
      if (task_.save_model) task_.save_model(options_.out);
    });
  }

  int64_t saved_step() const {
    const std::vector<int64_t> steps = directory_->checkpoints();
    return steps.empty() ? 0 : steps.back();
  }

  TrainResult finish(TrainEnd end) {
    if (state_.step > 0) save();
    if (end != TrainEnd::stopped && options_.average > 1 && task_.validate) {
      try_average();
      save();
    }
    TrainResult result = report_->result(state_, end);
    const int64_t newest = together_.from_first(directory_ ? saved_step() : 0);
    if (newest > 0) result.checkpoint = checkpoint_directory(options_.out, newest);
    return result;
  }

  ParamStore& params_;
  const TrainTask& task_;
  TrainOptions options_;
  SoloGroup solo_;
  ProcessGroup& group_;
  Together together_;
  Shards shards_;
  std::unique_ptr<RunDirectory> directory_;  // in the first process
  Optimizer optimizer_;
  TrainStep step_;
  Sampler sampler_;
  TrainState state_;
  Json saved_;  // the state of the newest checkpoint
  std::optional<Report> report_;
  Run run_;
};

void check(const TrainTask& task, const TrainOptions& o) {
  ensure<UsageError>(o.steps >= 1, "training: found ", o.steps, " steps, wanted at least one");
  ensure<UsageError>(o.accumulate >= 1 && o.accumulate <= o.batch, "training: a batch of ", o.batch,
                     " examples in ", o.accumulate, " parts, wanted 1 to ", o.batch);
  const int64_t processes = o.group ? o.group->processes().count : 1, micro = o.micro_batches;
  ensure<UsageError>(micro == 0 || (is_power_of_two(micro) && micro <= o.batch),
                     "training: found micro_batches ", micro, " of a batch of ", o.batch,
                     " examples, wanted a power of two, at most ", o.batch);
  ensure<UsageError>(micro == 0 || o.accumulate == 1, "training: found micro_batches ", micro,
                     " and accumulate ", o.accumulate,
                     ", wanted one of the two: micro-batches save memory as well");
  ensure<UsageError>(processes == 1 || micro >= processes, "training: found micro_batches ", micro,
                     " for ", processes, " processes, wanted a power of two, at least ", processes);
  ensure<UsageError>(o.clip >= 0 && std::isfinite(o.clip), "training: found clip ", o.clip,
                     ", wanted 0 or more");
  ensure<UsageError>(o.log_every >= 1 && o.keep >= 1 && o.eval_every >= 0 &&
                         o.checkpoint_every >= 0 && o.patience >= 0 && o.average >= 0,
                     "training: found log_every ", o.log_every, ", keep ", o.keep, ", eval_every ",
                     o.eval_every, ", checkpoint_every ", o.checkpoint_every, ", patience ",
                     o.patience, ", wanted positive numbers");
  ensure<UsageError>(o.average <= 1 || o.checkpoint_every > 0, "training: average ", o.average,
                     " wants checkpoints on the way: checkpoint_every is 0");
  ensure<UsageError>(o.average <= 1 || task.validate, "training: average ", o.average,
                     " without validation data");
  ensure<UsageError>(o.patience == 0 || task.validate, "training: patience ", o.patience,
                     " without validation data");
  check_schedule(o.schedule);
}

}  // namespace

TrainResult train(ParamStore& params, const TrainTask& task, const TrainOptions& options) {
  check(task, options);
  return Trainer(params, task, options).run();
}

}  // namespace jogak
