// The threads that requests are worked on in: models have theirs, where each waits for its turn,
// and everything else has as many, so that a list is not behind a long text.
#pragma once

#include <memory>

#include "server/job.h"
#include "server/lanes.h"

namespace jogak::server {

class Workers {
 public:
  // `queue`: requests that may wait for one model.
  Workers(int threads, size_t queue)
      : threads_(static_cast<size_t>(threads)),
        models_(threads, queue),
        others_(threads, kMostOthers) {}

  // False when too many wait already.
  bool begin(const Route& route, const std::shared_ptr<const Request>& request,
             const std::shared_ptr<Job>& job);

 private:
  static constexpr size_t kMostOthers = 2048;
  const size_t threads_;
  size_t next_ = 0;
  Lanes models_, others_;
};

}  // namespace jogak::server
