// HTTP/1.1 on a socket: connections, deadlines and limits. Routes do the rest, in threads of their
// own, so that nobody's work or slowness holds up another connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "server/access.h"
#include "server/limits.h"
#include "server/routes.h"

namespace jogak::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8080;  // 0: any free one
  int threads = 2;       // for models, and as many for everything else
  HttpLimits limits = {};
  std::function<void()> at_rest = {};  // called when many connections have come and gone
  std::function<void(const std::string&)> listening =
      {};  // takes the address: "http://127.0.0.1:8080"
  const std::atomic<bool>* stop = nullptr;
};

// Until `stop` is set; then what runs is finished and nothing new begins. IoError when the address
// cannot be had.
void serve_http(const HttpOptions& options, const Routes& routes, const Access& access);

}  // namespace jogak::server
