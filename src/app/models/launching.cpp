#include "app/models/launching.h"

#include <algorithm>

#include "base/hash/hash.h"
#include "base/log_quiet.h"
#include "base/parallel.h"
#include "base/version.h"
#include "group/launch.h"
#include "group/place.h"

namespace jogak {
namespace {

PlaceRequest place_request(const ProcessRequest& r) { return {r.processes, r.process, r.first}; }

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

std::shared_ptr<ProcessGroup> join_processes(const ProcessRequest& request, ProcessFacts facts,
                                             const std::atomic<bool>* stop) {
  const PlaceRequest asked = place_request(request);
  const Place place = find_place(asked);
  if (place == Place::alone) return nullptr;
  facts.insert(facts.begin(),
               {"program", text_of("jogak ", kVersion, " ", sha256_file("/proc/self/exe"))});
  std::shared_ptr<ProcessGroup> group = join_group(place, asked, std::move(facts), stop);
  if (!group->processes().is_first()) say_errors_only();
  return group;
}

}  // namespace jogak
