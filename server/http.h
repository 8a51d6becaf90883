// HTTP/1.1 on a socket: connections, deadlines and limits. Routes do the rest, in threads of their
// own, so that nobody's work or slowness holds up another connection.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "server/access.h"
#include "server/routes.h"

namespace jogak::server {

struct HttpLimits {
  using Seconds = std::chrono::seconds;
  size_t connections = 512;
  size_t queue = 16;                    // requests that wait for one model
  Seconds head{10};                     // from the first byte, or from connecting
  Seconds idle{60};                     // between two requests
  Seconds body{30};                     // of the whole body
  Seconds write{30};                    // of a reply of 1 MB, or of one piece of a stream
  Seconds work{300};                    // of the route
  Seconds drain{10};                    // of what runs when the server is told to stop
  std::chrono::milliseconds look{100};  // how often it is seen whether a client has left
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8080;  // 0: any free one
  int threads = 2;       // for models, and as many for everything else
  HttpLimits limits = {};
  std::function<void()> begin_thread = {};  // runs first in each of them
  std::function<void(const std::string&)> listening =
      {};  // takes the address: "http://127.0.0.1:8080"
  const std::atomic<bool>* stop = nullptr;
};

// Until `stop` is set; then what runs is finished and nothing new begins. IoError when the address
// cannot be had.
void serve_http(const HttpOptions& options, const Routes& routes, const Access& access);

}  // namespace jogak::server
