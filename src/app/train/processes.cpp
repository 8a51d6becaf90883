#include "app/train/processes.h"

#include <algorithm>
#include <bit>

#include "base/log.h"
#include "group/group.h"

namespace jogak {

Joined join_processes(const ProcessRequest& request, TrainRequest& training) {
  Joined out;
  out.group = join_processes(
      request, {{"recipe", to_toml(training.recipe)}, {"--resume", training.resume ? "yes" : "no"}},
      training.stop);
  if (!out.group) return out;
  const Processes self = out.group->processes();
  out.first = self.is_first();
  training.group = out.group.get();
  if (!out.first) training.quiet = true;
  cut_steps(training.recipe, self.count);
  return out;
}

void cut_steps(Recipe& recipe, int64_t processes) {
  TrainRecipe& t = recipe.train;
  if (processes <= 1 || t.micro_batches > 0) return;
  constexpr int64_t kUsual = 8;
  const auto at_least = [](int64_t count) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
  };
  int64_t micro = std::max({kUsual, at_least(processes), at_least(t.accumulate)});
  while (recipe.data.kind != "pairs" && micro > t.batch && micro / 2 >= processes) micro /= 2;
  t.micro_batches = micro;
  t.accumulate = 1;
  log_info("train.micro_batches = ", micro, ": ", processes,
           " processes share a step; one process with the same setting ends with the same bits");
}

}  // namespace jogak
