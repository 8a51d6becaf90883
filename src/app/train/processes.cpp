#include "app/train/processes.h"

#include <algorithm>
#include <bit>

#include "base/hash/hash.h"
#include "base/log.h"
#include "base/log_quiet.h"
#include "base/parallel.h"
#include "base/version.h"
#include "group/launch.h"
#include "group/place.h"

namespace jogak {
namespace {

PlaceRequest place_request(const ProcessRequest& r) { return {r.processes, r.process, r.first}; }

Facts facts_of(const TrainRequest& training) {
  return {{"program", text_of("jogak ", kVersion, " ", sha256_file("/proc/self/exe"))},
          {"recipe", to_toml(training.recipe)},
          {"--resume", training.resume ? "yes" : "no"}};
}

}  // namespace

bool starts_processes(const ProcessRequest& request) {
  return find_place(place_request(request)) == Place::starts;
}

int start_processes(const ProcessRequest& request, const std::atomic<bool>& stop,
                    const std::function<int()>& signal) {
  const int64_t share = std::max<int64_t>(thread_count() / request.processes, 1);
  return launch_processes({.processes = request.processes,
                           .threads = static_cast<int>(share),
                           .stop = &stop,
                           .signal = signal});
}

Joined join_processes(const ProcessRequest& request, TrainRequest& training) {
  const PlaceRequest asked = place_request(request);
  const Place place = find_place(asked);
  if (place == Place::alone) return {};
  Joined out;
  out.group = join_group(place, asked, facts_of(training), training.stop);
  const Processes self = out.group->processes();
  out.first = self.is_first();
  training.group = out.group.get();
  if (!out.first) {
    training.quiet = true;
    say_errors_only();
  }
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
