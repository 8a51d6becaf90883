// In place of http.cpp where Boost was missing.
#include "base/error.h"
#include "server/http.h"

namespace jogak::server {

void serve_http(const HttpOptions&, const Routes&, const Access&) {
  fail<Error>(
      "this jogak was built without its server: Boost was missing (Debian: libboost1.81-dev)");
}

}  // namespace jogak::server
