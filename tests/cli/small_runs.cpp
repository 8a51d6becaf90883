#include "tests/cli/small_runs.h"

#include "base/file.h"
#include "base/hash/hash.h"
#include "base/json.h"
#include "models/families.h"
#include "tests/support/families.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

std::string recipe(const test::SmallRecipe& r) {
  return "[model]\npreset = \"tiny\"\n" + r.model + "[data]\n" + r.data +
         text_of("[train]\nsteps = ", kSmallSteps, "\n") +
         "lr = 3e-3\nwarmup = 2\neval_every = 3\ncheckpoint_every = 1\nkeep = 2\nlog_every = 2\n" +
         r.train;
}

std::string timeless_metrics(const std::string& run) {
  const std::string path = join_path(run, "metrics.jsonl"), text = read_file(path);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const Json line = parse_json(text.substr(at, end - at), path);
    Json kept = Json::object();
    for (const auto& [key, value] : line.members())
      if (!key.ends_with("_per_s")) kept.set(key, value);
    out += kept.dump() + "\n";
    at = end + 1;
  }
  return out;
}

std::string checkpoint_of(const std::string& run, int64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, 8 - std::min<size_t>(8, digits.size()), '0');
  return join_path(run, "checkpoints/step-" + digits);
}

}  // namespace

std::vector<SmallRun> small_runs(int64_t width) {
  std::vector<SmallRun> out;
  for (const Family& family : families())
    out.push_back({family.name, recipe(test::small_recipe(family.name, width))});
  return out;
}

std::vector<int64_t> committed_steps(const std::string& run) {
  std::vector<int64_t> steps;
  for (const std::string& name : list_directory(join_path(run, "checkpoints")))
    if (name.starts_with("step-")) steps.push_back(std::stoll(name.substr(5)));
  return steps;
}

void load_checkpoints(const std::string& run) {
  for (const int64_t step : committed_steps(run)) {
    const Checkpoint checkpoint(checkpoint_of(run, step));
    ensure<Error>(checkpoint.state().step == step, run, ": found step ", checkpoint.state().step,
                  ", wanted ", step);
  }
}

std::string outcome(const std::string& run) {
  const std::vector<int64_t> steps = committed_steps(run);
  ensure<Error>(!steps.empty(), run, ": no checkpoint");
  const std::string newest = checkpoint_of(run, steps.back());
  std::string out;
  for (const std::string file : {"weights.safetensors", "optimizer.safetensors"})
    out += sha256_file(join_path(newest, file)) + " " + file + "\n";
  return out + sha256_file(join_path(run, "model.safetensors")) + " model.safetensors\n" +
         read_file(join_path(newest, "state.json")) + timeless_metrics(run);
}

}  // namespace jogak
