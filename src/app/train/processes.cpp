#include "app/train/processes.h"

#include <algorithm>
#include <bit>

#include "app/models/device.h"
#include "base/log.h"
#include "group/group.h"
#include "group/nccl_group.h"
#include "tensor/devices.h"

namespace jogak {
namespace {

// Where all compute on GPUs, from one to another; else through the host's memory, and why is said.
void connect_own_gpu(std::shared_ptr<ProcessGroup>& group) {
  const bool here = model_device().kind() == Device::Kind::cuda;
  if (group->sum(here ? 1 : 0) == 0) return;
  std::string why;
  group = connect_gpus(group, {.place = here ? find_cuda().place : "", .stream = side_stream}, why);
  if (!why.empty())
    log_info("gradients and weights pass through the host's memory, not from GPU to GPU: ", why);
}

}  // namespace

Joined join_processes(const ProcessRequest& request, TrainRequest& training) {
  Joined out;
  out.group = join_processes(
      request, {{"recipe", to_toml(training.recipe)}, {"--resume", training.resume ? "yes" : "no"}},
      training.stop);
  if (!out.group) return out;
  connect_own_gpu(out.group);
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
