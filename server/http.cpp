// The server on its socket. The only file that is compiled with Boost: one thread reads and writes,
// in coroutines.
#include "server/http.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/error.h"
#include "server/session.h"

namespace jogak::server {
namespace {

class Server {
 public:
  Server(const HttpOptions& options, const Routes& routes, const Access& access)
      : options_(options),
        house_{options.limits, routes, access, workers_},
        acceptor_(io_),
        tick_(io_),
        workers_(options.threads, options.limits.queue) {}

  void run();

 private:
  void listen();
  Task<> accept();
  static Task<> serve(House& house, std::shared_ptr<Wire> wire);
  Task<> watch_for_the_end();
  void rest_after_many();

  const HttpOptions& options_;
  House house_;  // outlives what runs on io_
  asio::io_context io_{1};
  Tcp::acceptor acceptor_;
  asio::steady_timer tick_;
  size_t most_sessions_ = 0;  // since the last crowd
  Workers workers_;           // last: their threads end before the rest goes
};

struct Ended {  // of a coroutine: whatever went wrong concerned one connection
  void operator()(std::exception_ptr) const {}
};

void Server::listen() {
  Code code;
  Tcp::resolver resolver(io_);
  const auto found = resolver.resolve(options_.host, std::to_string(options_.port), code);
  ensure<IoError>(!code && !found.empty(), options_.host, ": ", code.message());
  const Tcp::endpoint place = *found.begin();
  const auto check = [&](const char* what) {
    ensure<IoError>(!code, options_.host, ":", options_.port, ": ", what, ": ", code.message());
  };
  acceptor_.open(place.protocol(), code);
  check("no socket");
  acceptor_.set_option(Tcp::acceptor::reuse_address(true), code);
  acceptor_.bind(place, code);
  check("cannot listen there");
  acceptor_.listen(asio::socket_base::max_listen_connections, code);
  check("cannot listen there");
  const Tcp::endpoint own = acceptor_.local_endpoint();
  const std::string host = own.address().to_string();
  if (options_.listening)
    options_.listening(
        text_of("http://", own.address().is_v6() ? "[" + host + "]" : host, ":", own.port()));
}

Task<> Server::accept() {
  for (;;) {
    Code code;
    Tcp::socket socket = co_await acceptor_.async_accept(quietly(code));
    if (house_.draining || code == asio::error::operation_aborted) co_return;
    if (code) {  // no more files, for example: others may go
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      co_await pause.async_wait(quietly(code));
      continue;
    }
    if (house_.sessions.size() >= house_.limits.connections) {
      socket.non_blocking(true, code);
      const std::string text = too_many_connections();
      socket.write_some(asio::buffer(text), code);
      continue;
    }
    socket.set_option(Tcp::no_delay(true), code);
    asio::co_spawn(io_, serve(house_, std::make_shared<Wire>(std::move(socket))), Ended{});
  }
}

Task<> Server::serve(House& house, std::shared_ptr<Wire> wire) {
  Session session(house, *wire);
  co_await session.run();
  wire->close();
}

// What a crowd took of the heap lies between what stays; once it has gone, it can be given back.
void Server::rest_after_many() {
  constexpr size_t kMany = 64;
  most_sessions_ = std::max(most_sessions_, house_.sessions.size());
  if (most_sessions_ < kMany || house_.sessions.size() > most_sessions_ / 8) return;
  most_sessions_ = house_.sessions.size();
  if (options_.at_rest) options_.at_rest();
}

Task<> Server::watch_for_the_end() {
  const auto pause = std::chrono::milliseconds(50);
  Code code;
  while (!options_.stop || !options_.stop->load()) {
    tick_.expires_after(pause);
    co_await tick_.async_wait(quietly(code));
    rest_after_many();
  }
  house_.draining = true;
  acceptor_.close(code);
  const auto end = Clock::now() + house_.limits.drain;
  while (!house_.sessions.empty() && Clock::now() < end) {
    for (Session* session : std::set<Session*>(house_.sessions)) session->leave_if_idle();
    tick_.expires_after(pause);
    co_await tick_.async_wait(quietly(code));
  }
  for (Session* session : std::set<Session*>(house_.sessions)) session->give_up();
}

void Server::run() {
  listen();
  asio::co_spawn(io_, accept(), Ended{});
  asio::co_spawn(io_, watch_for_the_end(), Ended{});
  io_.run();
}

}  // namespace

void serve_http(const HttpOptions& options, const Routes& routes, const Access& access) {
  Server(options, routes, access).run();
}

}  // namespace jogak::server
