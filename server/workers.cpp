#include "server/workers.h"

namespace jogak::server {

bool Workers::begin(const Route& route, const std::shared_ptr<const Request>& request,
                    const std::shared_ptr<Job>& job) {
  const auto work = [&route, request, job] { job->run(route, *request); };
  if (route.lane) return models_.add(route.lane(*request), work);
  return others_.add(std::to_string(next_++ % threads_), work);
}

}  // namespace jogak::server
