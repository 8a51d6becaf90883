// The only file that knows Boost. One thread reads and writes, in coroutines. g++ 12 miscompiles
// lambdas inside co_await and destroys temporaries there twice: both have names here.
#include "server/http.h"

#include <poll.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/error.h"
#include "server/admit.h"
#include "server/body.h"
#include "server/lanes.h"

namespace jogak::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Code = boost::system::error_code;
template <class T = void>
using Task = asio::awaitable<T>;

constexpr size_t kMostPending = 4 << 20;  // of a stream that nobody takes
constexpr size_t kPiece = 32 << 10;       // of a body, read at once

const char* reason_of(int status) {
  if (status == 499) return "Client Left";
  return nullptr;  // Beast knows it
}

class Session;

// A request at work in another thread.
struct Job final : Work {
  explicit Job(asio::io_context& context) : io(context) {}
  const std::atomic<bool>& stop() const override { return stopped; }
  void send(std::string_view piece) override;
  void finish(Reply answer);

  asio::io_context& io;
  std::atomic<bool> stopped{false};
  std::weak_ptr<Session> session;  // set before the work begins

  std::mutex mutex;  // of what follows
  std::string pieces;
  bool streams = false, done = false;
  Reply reply;
};

class Server {
 public:
  Server(const HttpOptions& options, const Routes& routes, const Access& access)
      : options_(options),
        routes_(routes),
        access_(access),
        acceptor_(io_),
        tick_(io_),
        models_(options.threads, options.limits.queue, options.begin_thread),
        others_(options.threads, 256, options.begin_thread) {}

  void run();

  asio::io_context& io() { return io_; }
  const HttpLimits& limits() const { return options_.limits; }
  const Routes& routes() const { return routes_; }
  const Access& access() const { return access_; }
  bool draining() const { return draining_; }
  bool begin(const Route& route, const std::shared_ptr<Request>& request,
             const std::shared_ptr<Job>& job);
  void add(Session* session) { sessions_.insert(session); }
  void remove(Session* session) { sessions_.erase(session); }

 private:
  void listen();
  Task<> accept();
  Task<> watch_for_the_end();

  const HttpOptions& options_;
  const Routes& routes_;
  const Access& access_;
  std::set<Session*> sessions_;  // outlives what runs on io_
  asio::io_context io_{1};
  Tcp::acceptor acceptor_;
  asio::steady_timer tick_;
  size_t next_ = 0;
  bool draining_ = false;
  Lanes models_, others_;  // last: their threads end before the rest goes
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Server& server, Tcp::socket socket)
      : server_(server),
        socket_(std::move(socket)),
        watch_(server.io()),
        wake_(server.io()),
        buffer_(kLongestHead + (32 << 10)) {
    server_.add(this);
  }
  ~Session() { server_.remove(this); }

  static Task<> run(std::shared_ptr<Session> self);
  void wake() { wake_.cancel(); }
  void leave_if_idle() {
    if (idle_) close();
  }
  void give_up() {
    if (job_) job_->stopped = true;
    close();
  }

 private:
  Task<> serve();
  Task<bool> read_head(Head& head);
  Task<bool> serve_one(const Head& head);
  Task<bool> read_body(const Framing& framing, size_t most, std::string& body);
  Task<bool> answer_request(const Route& route, const std::shared_ptr<Request>& request,
                            bool stays);
  Task<bool> wait_for(Job& job, Clock::time_point end);
  Task<bool> stream(Job& job, Clock::time_point end);
  Task<bool> write(Reply& reply, bool stays, bool head_only = false);
  Task<bool> refuse(const Refusal& refusal);
  Task<bool> send_bytes(const std::string& bytes);
  Task<> linger();

  void arm(Clock::duration time);
  void disarm();
  bool client_left();
  void close() {
    Code ignored;
    socket_.close(ignored);
  }

  Server& server_;
  Tcp::socket socket_;
  asio::steady_timer watch_, wake_;
  uint64_t armed_ = 0;  // which operation the deadline is of
  bool late_ = false;
  beast::flat_buffer buffer_;
  bool idle_ = true, first_ = true;
  size_t head_size_ = 0;
  int minor_ = 1;
  std::shared_ptr<Job> job_;
};

struct Ended {  // of a coroutine: whatever went wrong concerned one connection
  void operator()(std::exception_ptr) const {}
};

auto quietly(Code& code) { return asio::redirect_error(asio::use_awaitable, code); }

// --- work in other threads ---

struct WakeSession {
  std::weak_ptr<Session> session;
  void operator()() const {
    if (const auto there = session.lock()) there->wake();
  }
};

void Job::send(std::string_view piece) {
  ensure<Stopped>(!stopped.load(), "the client has left");
  {
    const std::lock_guard lock(mutex);
    ensure<Stopped>(pieces.size() + piece.size() <= kMostPending, "the client does not read");
    streams = true;
    pieces += piece;
  }
  asio::post(io, WakeSession{session});
}

void Job::finish(Reply answer) {
  {
    const std::lock_guard lock(mutex);
    reply = std::move(answer);
    done = true;
  }
  asio::post(io, WakeSession{session});
}

struct RunJob {
  const Route* route;
  std::shared_ptr<Request> request;
  std::shared_ptr<Job> job;

  void operator()() const {
    Reply reply;
    try {
      ensure<Stopped>(!job->stopped.load(), "the client has left");
      reply = route->handle(*request, *job);
    } catch (...) {
      reply = reply_to_exception();
    }
    job->finish(std::move(reply));
  }
};

bool Server::begin(const Route& route, const std::shared_ptr<Request>& request,
                   const std::shared_ptr<Job>& job) {
  const RunJob run{&route, request, job};
  if (route.lane) return models_.add(route.lane(*request), run);
  return others_.add(std::to_string(next_++ % static_cast<size_t>(options_.threads)), run);
}

// --- deadlines ---

struct Late {
  std::weak_ptr<Session> session;
  uint64_t armed;
  void (*call)(Session&, uint64_t);
  void operator()(Code code) const {
    if (code) return;
    if (const auto there = session.lock()) call(*there, armed);
  }
};

void Session::arm(Clock::duration time) {
  late_ = false;
  watch_.expires_after(time);
  watch_.async_wait(Late{weak_from_this(), ++armed_, [](Session& self, uint64_t armed) {
                           if (armed != self.armed_) return;
                           self.late_ = true;
                           Code ignored;
                           self.socket_.cancel(ignored);
                         }});
}

void Session::disarm() {
  ++armed_;
  watch_.cancel();
}

bool Session::client_left() {
  pollfd one{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// --- one connection ---

Task<> Session::run(std::shared_ptr<Session> self) {
  co_await self->serve();
  self->close();
}

Task<> Session::serve() {
  for (;;) {
    Head head;
    if (!co_await read_head(head)) break;
    const bool stays = co_await serve_one(head);
    job_ = nullptr;
    if (!stays || server_.draining()) break;
    first_ = false;
  }
  co_await linger();
}

// False: the connection is over, and what was to be said has been said.
Task<bool> Session::read_head(Head& head) {
  HeadReader reader;
  idle_ = buffer_.size() == 0;
  arm(first_ || !idle_ ? server_.limits().head : server_.limits().idle);
  for (;;) {
    const auto bytes = buffer_.data();
    const std::string_view all(static_cast<const char*>(bytes.data()), bytes.size());
    const auto state = all.empty() ? HeadReader::State::more : reader.take(all);
    if (state == HeadReader::State::refused) {
      disarm();
      co_return co_await refuse(reader.refusal());
    }
    if (state == HeadReader::State::whole) {
      disarm();
      head_size_ = reader.size();
      auto parsed = parse_head(all.substr(0, head_size_));
      if (const auto* wrong = std::get_if<Refusal>(&parsed)) co_return co_await refuse(*wrong);
      head = std::move(std::get<Head>(parsed));
      minor_ = head.minor;
      idle_ = false;
      co_return true;
    }
    Code code;
    const size_t n = co_await socket_.async_read_some(buffer_.prepare(4096), quietly(code));
    if (code) {
      disarm();
      const bool said = idle_ && !first_;  // a connection that waited for more may just go
      const Refusal late{408, "timeout", "the request did not come in time"};
      if (late_ && !said) co_await refuse(late);
      co_return false;
    }
    buffer_.commit(n);
    if (idle_) idle_ = false, arm(server_.limits().head);
  }
}

Task<bool> Session::read_body(const Framing& framing, size_t most, std::string& body) {
  buffer_.consume(head_size_);
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  if (framing.expects && buffer_.size() == 0 && !co_await send_bytes(go_on)) co_return false;
  BodyReader reader(framing, most);
  arm(server_.limits().body);
  for (;;) {
    const auto held = buffer_.data();
    std::string_view bytes(static_cast<const char*>(held.data()), held.size());
    const auto state = reader.take(bytes);
    buffer_.consume(held.size() - bytes.size());
    if (state == BodyReader::State::whole) break;
    Code code;
    if (state == BodyReader::State::more) {
      const size_t n = co_await socket_.async_read_some(buffer_.prepare(kPiece), quietly(code));
      buffer_.commit(n);
      if (!code) continue;
    }
    disarm();
    Refusal wrong = reader.refusal();
    if (code) wrong.message = "the body ended before its end";
    if (late_) wrong = {408, "timeout", "the body did not come in time"};
    co_return co_await refuse(wrong);
  }
  disarm();
  body = std::move(reader.body());
  co_return true;
}

Task<bool> Session::serve_one(const Head& head) {
  auto admitted = admit(head, server_.routes(), server_.access());
  if (const auto* wrong = std::get_if<Refusal>(&admitted)) co_return co_await refuse(*wrong);
  Admitted& asked = std::get<Admitted>(admitted);
  const auto request = std::make_shared<Request>(std::move(asked.request));
  if (!co_await read_body(asked.framing, asked.route->most_body, request->body)) co_return false;
  co_return co_await answer_request(*asked.route, request, asked.framing.stays);
}

struct NoWork final : Work {
  const std::atomic<bool>& stop() const override { return never; }
  void send(std::string_view) override {}
  std::atomic<bool> never{false};
};

Task<bool> Session::answer_request(const Route& route, const std::shared_ptr<Request>& request,
                                   bool stays) {
  const bool head_only = request->method == "HEAD";
  if (route.quick) {
    NoWork none;
    Reply reply;
    try {
      reply = route.handle(*request, none);
    } catch (...) {
      reply = reply_to_exception();
    }
    co_return co_await write(reply, stays, head_only);
  }
  job_ = std::make_shared<Job>(server_.io());
  job_->session = weak_from_this();
  if (!server_.begin(route, request, job_)) {
    Reply busy = error_reply(429, "queue_full", "too many requests wait already; try again");
    busy.headers.emplace_back("Retry-After", "1");
    co_return co_await write(busy, stays, head_only);
  }
  const auto end = Clock::now() + server_.limits().work;
  Job& job = *job_;
  if (!co_await wait_for(job, end)) co_return false;
  bool streams = false;
  Reply reply;
  {
    const std::lock_guard lock(job.mutex);
    streams = job.streams;
    if (!streams) reply = std::move(job.reply);
  }
  if (streams) co_return co_await stream(job, end) && stays;
  co_return co_await write(reply, stays, head_only);
}

// Until there is something to send. False: the client has left.
Task<bool> Session::wait_for(Job& job, Clock::time_point end) {
  for (;;) {
    {
      const std::lock_guard lock(job.mutex);
      if (job.done || !job.pieces.empty()) co_return true;
    }
    wake_.expires_after(server_.limits().look);
    Code code;
    co_await wake_.async_wait(quietly(code));
    if (Clock::now() > end) job.stopped = true;
    if (!socket_.is_open() || client_left()) {
      job.stopped = true;
      co_return false;
    }
  }
}

Task<bool> Session::stream(Job& job, Clock::time_point end) {
  const bool chunks = minor_ == 1;
  std::string head = text_of("HTTP/1.", minor_, " 200 OK\r\nContent-Type: text/event-stream\r\n",
                             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n");
  head += chunks ? "Transfer-Encoding: chunked\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!co_await send_bytes(head)) co_return false;
  for (bool done = false; !done;) {
    if (!co_await wait_for(job, end)) co_return false;
    std::string pieces;
    {
      const std::lock_guard lock(job.mutex);
      pieces.swap(job.pieces);
      done = job.done;
      // Failed midway: the last event says so.
      if (done && job.reply.status != 200) pieces += "data: " + job.reply.body + "\n";
    }
    if (pieces.empty()) continue;
    if (chunks) pieces = text_of(std::hex, pieces.size(), "\r\n", pieces, "\r\n");
    if (!co_await send_bytes(pieces)) {
      job.stopped = true;
      co_return false;
    }
  }
  const std::string last = "0\r\n\r\n";
  if (!chunks) co_return false;
  co_return co_await send_bytes(last);
}

Task<bool> Session::send_bytes(const std::string& bytes) {
  Code code;
  arm(server_.limits().write);
  co_await asio::async_write(socket_, asio::buffer(bytes), quietly(code));
  disarm();
  co_return !code;
}

Task<bool> Session::refuse(const Refusal& refusal) {
  Reply reply = error_reply(refusal.status, refusal.code, refusal.message);
  co_await write(reply, false);
  co_return false;
}

Task<bool> Session::write(Reply& reply, bool stays, bool head_only) {
  stays = stays && !server_.draining();
  http::response<http::string_body> out;
  out.version(10 + static_cast<unsigned>(minor_));
  out.result(static_cast<unsigned>(reply.status));
  if (const char* reason = reason_of(reply.status)) out.reason(reason);
  out.set(http::field::content_type, reply.type);
  out.set("X-Content-Type-Options", "nosniff");
  out.set("Referrer-Policy", "no-referrer");
  out.set("Cross-Origin-Resource-Policy", "same-origin");
  if (reply.type == "application/json") out.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : reply.headers) out.set(name, value);
  out.keep_alive(stays);
  out.content_length(reply.body.size());
  const auto megabytes = static_cast<int64_t>(reply.body.size() >> 20);
  if (!head_only) out.body() = std::move(reply.body);
  Code code;
  arm(server_.limits().write * (1 + megabytes / 8));
  co_await http::async_write(socket_, out, quietly(code));
  disarm();
  co_return stays && !code;
}

// Closing at once would throw away what was sent, when the client has sent more than was read.
Task<> Session::linger() {
  Code code;
  socket_.shutdown(Tcp::socket::shutdown_send, code);
  if (code) co_return;
  arm(std::chrono::seconds(1));
  char rest[4096];
  for (size_t taken = 0; !code && taken < (1 << 20);)
    taken += co_await socket_.async_read_some(asio::buffer(rest), quietly(code));
  disarm();
}

// --- the server ---

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
    if (draining_ || code == asio::error::operation_aborted) co_return;
    if (code) {  // no more files, for example: others may go
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      co_await pause.async_wait(quietly(code));
      continue;
    }
    if (sessions_.size() >= limits().connections) {
      socket.non_blocking(true, code);
      const std::string text =
          "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
          "Connection: close\r\nRetry-After: 1\r\n\r\n" +
          error_reply(503, "too_many_connections", "too many connections").body;
      socket.write_some(asio::buffer(text), code);
      continue;
    }
    socket.set_option(Tcp::no_delay(true), code);
    asio::co_spawn(io_, Session::run(std::make_shared<Session>(*this, std::move(socket))), Ended{});
  }
}

Task<> Server::watch_for_the_end() {
  const auto pause = std::chrono::milliseconds(50);
  Code code;
  while (!options_.stop || !options_.stop->load()) {
    tick_.expires_after(pause);
    co_await tick_.async_wait(quietly(code));
  }
  draining_ = true;
  acceptor_.close(code);
  const auto end = Clock::now() + limits().drain;
  while (!sessions_.empty() && Clock::now() < end) {
    for (Session* session : std::set<Session*>(sessions_)) session->leave_if_idle();
    tick_.expires_after(pause);
    co_await tick_.async_wait(quietly(code));
  }
  for (Session* session : std::set<Session*>(sessions_)) session->give_up();
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
