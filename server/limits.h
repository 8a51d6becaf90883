// How much and how long: what a connection may take of the server.
#pragma once

#include <chrono>
#include <cstddef>

namespace jogak::server {

struct HttpLimits {
  using Seconds = std::chrono::seconds;
  size_t connections = 2048;
  size_t queue = 16;                    // requests that wait for one model
  Seconds head{10};                     // from the first byte, or from connecting
  Seconds idle{60};                     // between two requests
  Seconds body{30};                     // of the whole body
  Seconds write{30};                    // of a reply of 1 MB, or of one piece of a stream
  Seconds work{300};                    // of the route
  Seconds drain{10};                    // of what runs when the server is told to stop
  std::chrono::milliseconds look{100};  // how often it is seen whether a client has left
};

}  // namespace jogak::server
