#include "server/routes.h"

#include <algorithm>

namespace jogak::server {
namespace {

// The next part of a path; the slash before it is taken too.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(1);
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view out = path.substr(0, end);
  path.remove_prefix(end);
  return out;
}

bool fits(std::string_view pattern, std::string_view path, Texts& names) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_part(pattern), found = next_part(path);
    if (wanted.starts_with('{') && !found.empty())
      names[std::string(wanted.substr(1, wanted.size() - 2))] = found;
    else if (wanted != found)
      return false;
  }
  return pattern.empty() && path.empty();
}

}  // namespace

const Route* Routes::find(Request& request, std::string& allowed) const {
  for (const Route& route : all_) {
    Texts names;
    if (!fits(route.path, request.path, names)) continue;
    if (route.method == request.method || (route.method == "GET" && request.method == "HEAD")) {
      request.names = std::move(names);
      return &route;
    }
    allowed += (allowed.empty() ? "" : ", ") + route.method;
  }
  return nullptr;
}

}  // namespace jogak::server
