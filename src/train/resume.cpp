#include "train/resume.h"

#include <optional>

#include "base/hash/hash.h"
#include "base/listing.h"
#include "base/log.h"
#include "ops/kernels/isa.h"
#include "train/checkpoint.h"
#include "train/state_shards.h"

namespace jogak {
namespace {

TrainState fresh_state(const RunParts& parts, const TrainTask& task, const TrainOptions& options) {
  TrainState state;
  state.seed = options.seed;
  state.processes = parts.group.processes().count;
  state.config_hash = sha256_hex(task.config);
  state.isa = isa_name();
  state.inputs = task.inputs;
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
  ensure<UsageError>(found.seed == wanted.seed, file, ": the run has seed ", found.seed,
                     ", it cannot go on with seed ", wanted.seed);
}

const std::string* find(const RunInputs& inputs, const std::string& name) {
  for (const auto& [known, value] : inputs)
    if (known == name) return &value;
  return nullptr;
}

std::string change_of(const std::string& name, const std::string& was, const std::string& now) {
  return was.starts_with(kContents) ? name + " has other contents"
                                    : name + " was " + was + " and is " + now;
}

// "data.train has other contents", "data.mask_share was 0.15 and is 0.3"
std::vector<std::string> changes(const TrainState& found, const TrainState& wanted) {
  std::vector<std::string> out;
  if (found.inputs.empty() || wanted.inputs.empty()) return out;
  for (const auto& [name, value] : found.inputs) {
    const std::string* now = find(wanted.inputs, name);
    if (!now)
      out.push_back(name + " is missing");
    else if (*now != value)
      out.push_back(change_of(name, value, *now));
  }
  for (const auto& [name, value] : wanted.inputs)
    if (!find(found.inputs, name)) out.push_back(name + " is new");
  return out;
}

// A run that learns from something else is another run, unless the user wants it to go on.
void ensure_none(const std::vector<std::string>& changes, const Checkpoint& checkpoint) {
  ensure<FormatError>(changes.empty(), checkpoint.state_file(), ": ", first_of(changes),
                      "; put back what the run began with, or go on with --accept-changes");
}

void check_inputs(const Checkpoint& checkpoint, TrainState& state, const TrainState& wanted,
                  bool accept) {
  const std::vector<std::string> found = changes(checkpoint.state(), wanted);
  if (!accept) ensure_none(found, checkpoint);
  ensure<FormatError>(!found.empty() || state.examples == wanted.examples, checkpoint.state_file(),
                      ": \"examples\": the data had ", state.examples, " examples, now it has ",
                      wanted.examples);
  for (const std::string& one : found) state.accepted.push_back({state.step, one});
  state.inputs = wanted.inputs;
  if (state.examples == wanted.examples) return;
  state.examples = wanted.examples;  // places in the old data mean nothing in the new
  state.position = {state.position.epoch + 1, 0};
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

TrainState resumed(RunParts parts, const Checkpoint& checkpoint, const TrainState& fresh,
                   const TrainOptions& options) {
  check_same(checkpoint, fresh);
  TrainState state = checkpoint.state();
  ensure<UsageError>(state.step <= options.steps, options.out, ": the run is at step ", state.step,
                     ", beyond the ", options.steps, " steps it is asked for");
  check_inputs(checkpoint, state, fresh, options.accept_changes);
  checkpoint.restore_weights(parts.params, parts.optimizer);
  if (!state.isa.empty() && state.isa != fresh.isa)
    log_warning(options.out, ": was trained with ", state.isa, " up to step ", state.step,
                ", this machine uses ", fresh.isa, ": from here on bits may differ");
  state.isa = fresh.isa;
  state.processes = fresh.processes;
  return state;
}

// What the first learns from, in every process.
void check_others(const RunParts& parts, Together& together, const TrainState& fresh) {
  const Json own = to_json(fresh);
  const std::string first = parts.group.text_from(0, own.dump());
  together.in_all([&] {
    const TrainState theirs =
        read_state(parse_json(first, "the first process"), "the first process");
    std::vector<std::string> found = changes(theirs, fresh);
    if (theirs.config_hash != fresh.config_hash)
      found.insert(found.begin(), "the model is another");
    if (theirs.examples != fresh.examples) found.emplace_back("the number of examples differs");
    const auto [index, count] = parts.group.processes();
    ensure<FormatError>(found.empty(), "process ", index + 1, " of ", count,
                        " has other data than the first: ", first_of(found));
    if (theirs.isa != fresh.isa)
      log_warning("process ", index + 1, " of ", count, " uses ", fresh.isa, ", the first ",
                  theirs.isa, ": bits may differ from those of one process");
  });
}

std::vector<Tensor> kept_values(const ParamStore& params) {
  std::vector<Tensor> out;
  for (const Param& p : params.all())
    if (!p.frozen) out.push_back(p.value.detach());
  return out;
}

void share_weights(const RunParts& parts) {
  share_from_first(parts.group, kept_values(parts.params));
  for (const Param& p : parts.params.all())
    if (p.copy.defined()) copy_into(p.copy.detach(), p.value.detach());
}

}  // namespace

TrainState begin_or_resume(RunParts parts, Together& together, const TrainTask& task,
                           const TrainOptions& options) {
  const TrainState fresh = fresh_state(parts, task, options);
  const bool alone = parts.group.processes().count == 1;
  if (!alone) check_others(parts, together, fresh);
  TrainState state = fresh;
  std::optional<Checkpoint> checkpoint;
  together.in_first([&] {
    const int64_t newest = newest_step(*parts.directory, options);
    if (newest < 0) return;
    checkpoint.emplace(checkpoint_directory(options.out, newest));
    ensure<FormatError>(checkpoint->state().step == newest, checkpoint->state_file(),
                        ": found step ", checkpoint->state().step, " in the checkpoint of step ",
                        newest);
    state = resumed(parts, *checkpoint, fresh, options);
  });
  if (!alone) share_weights(parts);
  if (!together.from_first(checkpoint.has_value())) return state;
  if (alone) {
    parts.optimizer.restore(checkpoint->optimizer_file(), state.updates);
  } else {
    const std::string now = parts.group.text_from(0, to_json(state).dump());
    state = read_state(parse_json(now, "the first process"), "the first process");
    std::optional<SafetensorsFile> file;
    if (checkpoint) file.emplace(checkpoint->optimizer_file());
    scatter_state(parts.group, parts.shards, parts.optimizer, file ? &*file : nullptr);
    parts.optimizer.set_updates(state.updates);
  }
  parts.sampler.seek(state.position);
  return state;
}

void ensure_same_inputs(const std::string& run, int64_t newest, const RunInputs& now) {
  const Checkpoint checkpoint(checkpoint_directory(run, newest));
  std::vector<std::string> found;
  for (const auto& [name, value] : now) {
    const std::string* was = find(checkpoint.state().inputs, name);
    if (was && *was != value) found.push_back(change_of(name, *was, value));
  }
  ensure_none(found, checkpoint);
}

}  // namespace jogak
