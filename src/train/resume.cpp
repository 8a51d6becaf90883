#include "train/resume.h"

#include "base/hash.h"
#include "base/log.h"
#include "train/checkpoint.h"
#include "train/reducer.h"

namespace jogak {
namespace {

TrainState fresh_state(const RunParts& parts, const TrainTask& task, const TrainOptions& options) {
  TrainState state;
  state.seed = options.seed;
  state.processes = options.reducer ? options.reducer->processes().count : 1;
  state.config_hash = sha256_hex(task.config);
  state.data_hash = task.data.empty() ? "" : sha256_hex(task.data);
  state.examples = task.examples;
  state.position = parts.sampler.position();
  state.optimizer = name_of(options.optimizer.kind);
  return state;
}

// What must be as it was for the run to go on as the same run.
void check_same(const Checkpoint& checkpoint, const TrainState& wanted) {
  const TrainState& found = checkpoint.state();
  const std::string file = checkpoint.state_file();
  ensure<FormatError>(
      found.config_hash == wanted.config_hash, file,
      ": \"config_sha256\": this checkpoint is of a model with another configuration");
  ensure<FormatError>(found.examples == wanted.examples, file, ": \"examples\": the data had ",
                      found.examples, " examples, now it has ", wanted.examples);
  ensure<FormatError>(
      found.data_hash.empty() || wanted.data_hash.empty() || found.data_hash == wanted.data_hash,
      file, ": data, \"sha256\": the data is not that of the checkpoint");
  ensure<UsageError>(found.seed == wanted.seed, file, ": the run has seed ", found.seed,
                     ", it cannot go on with seed ", wanted.seed);
}

// The step to go on from, in the process that owns the directory; -1: none.
int64_t newest_step(const RunDirectory& directory, const TrainOptions& options) {
  const std::vector<int64_t> steps = directory.checkpoints();
  if (steps.empty()) {
    if (options.resume) log_info(options.out, ": no checkpoint yet, training begins at the start");
    return -1;
  }
  ensure<UsageError>(options.resume, options.out, ": holds a run that is at step ", steps.back(),
                     ": resume it, or train into another directory");
  return steps.back();
}

TrainState resumed(RunParts parts, const Checkpoint& checkpoint, const TrainState& fresh) {
  check_same(checkpoint, fresh);
  checkpoint.restore(parts.params, parts.optimizer);
  parts.sampler.seek(checkpoint.state().position);
  TrainState state = checkpoint.state();
  state.data_hash = fresh.data_hash;
  state.processes = fresh.processes;
  return state;
}

}  // namespace

TrainState begin_or_resume(RunParts parts, Together& together, const TrainTask& task,
                           const TrainOptions& options) {
  TrainState state = fresh_state(parts, task, options);
  int64_t newest = -1;
  together.in_first([&] { newest = newest_step(*parts.directory, options); });
  newest = together.from_first(newest);
  if (newest < 0) return state;
  together.in_all([&] {
    const Checkpoint checkpoint(checkpoint_directory(options.out, newest));
    ensure<FormatError>(checkpoint.state().step == newest, checkpoint.state_file(), ": found step ",
                        checkpoint.state().step, " in the checkpoint of step ", newest);
    state = resumed(parts, checkpoint, state);
  });
  return state;
}

}  // namespace jogak
