#include "server/replies.h"

#include "base/error.h"

namespace jogak::server {

HeaderLines headers_of(const Reply& reply) {
  HeaderLines out = {{"Content-Type", reply.type},
                     {"X-Content-Type-Options", "nosniff"},
                     {"Referrer-Policy", "no-referrer"},
                     {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (reply.type == "application/json") out.emplace_back("Cache-Control", "no-store");
  out.insert(out.end(), reply.headers.begin(), reply.headers.end());
  return out;
}

Reply too_busy() {
  Reply out = error_reply(429, "queue_full", "too many requests wait already; try again");
  out.headers.emplace_back("Retry-After", "1");
  return out;
}

std::string too_many_connections() {
  const Reply reply = error_reply(503, "too_many_connections", "too many connections");
  return text_of("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n",
                 "Content-Length: ", reply.body.size(), "\r\n",
                 "Connection: close\r\nRetry-After: 1\r\n\r\n", reply.body);
}

std::string head_of_stream(int minor) {
  return text_of("HTTP/1.", minor, " 200 OK\r\nContent-Type: text/event-stream\r\n",
                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n",
                 minor == 1 ? "Transfer-Encoding: chunked\r\n\r\n" : "Connection: close\r\n\r\n");
}

std::string chunk_of(const std::string& pieces) {
  return text_of(std::hex, pieces.size(), "\r\n", pieces, "\r\n");
}

}  // namespace jogak::server
