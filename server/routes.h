// The table of what the server answers: a method, a path with {names} in it, and a function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/message.h"

namespace jogak::server {

struct Route {
  std::string method = "GET";
  std::string path = {};  // "/api/models/{model}/inspect"
  std::function<Reply(const Request& request, Work& work)> handle = {};
  // Which model's turn the request waits for; empty: none's.
  std::function<std::string(const Request& request)> lane = {};
  size_t most_body = 256 << 10;
  bool open = false;   // answers without a key: the page itself, and /health
  bool quick = false;  // answers at once, on the thread that reads requests
};

class Routes {
 public:
  void add(Route route) { all_.push_back(std::move(route)); }
  const std::vector<Route>& all() const { return all_; }

  // The route of a method and a path; its {names} are filled in. Null: `allowed` has the methods
  // that the path knows ("GET, POST"), empty when there is no such path at all.
  const Route* find(Request& request, std::string& allowed) const;

 private:
  std::vector<Route> all_;
};

}  // namespace jogak::server
