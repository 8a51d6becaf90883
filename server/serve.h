// `jogak serve`: the page and its API on a port of this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/lang.h"

namespace jogak::server {

struct ServeCommand {
  std::vector<std::string> directories = {};  // models, or folders of them
  std::string runs = {};                      // a folder of runs; empty: none
  std::string host = "127.0.0.1";
  uint16_t port = 8080;
  std::string key_file = {};  // keys, a line each, one of which every request must bring; or none
  size_t max_queue = 256;
  bool preload = false;        // models are ready to write when /health says so
  size_t memory = 0;           // bytes of weights that stay open; 0: all that were given
  int64_t drain = 10;          // seconds that what runs has when the server is told to stop
  std::string dtype = "auto";  // of the weights of models that write
  int threads = 0;             // of one computation; 0: as the environment says
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string& address)> listening = {};
};

// Until `stop` is set. UsageError for a host beyond this machine without a key.
void serve(const ServeCommand& command);

}  // namespace jogak::server
