// A connection as bytes: a socket whose every operation has a deadline. Included by http.cpp alone,
// so that Boost is compiled once. g++ 12 miscompiles lambdas inside co_await and destroys
// temporaries there twice: both have names here.
#pragma once

#include <poll.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>

#include "server/head.h"
#include "server/replies.h"

namespace jogak::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Code = boost::system::error_code;
template <class T = void>
using Task = asio::awaitable<T>;

inline auto quietly(Code& code) { return asio::redirect_error(asio::use_awaitable, code); }

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  explicit Wire(Tcp::socket socket)
      : socket_(std::move(socket)),
        watch_(socket_.get_executor()),
        wake_(socket_.get_executor()),
        buffer_(kLongestHead + (32 << 10)) {}

  // One deadline at a time: when it passes, what is under way ends and late() is true.
  void arm(Clock::duration time) {
    late_ = false;
    watch_.expires_after(time);
    watch_.async_wait(Alarm{weak_from_this(), ++armed_});
  }
  void disarm() {
    ++armed_;
    watch_.cancel();
  }
  bool late() const { return late_; }

  // What has come and was not consumed yet.
  std::string_view bytes() const {
    const auto held = buffer_.data();
    return {static_cast<const char*>(held.data()), held.size()};
  }
  void consume(size_t count) { buffer_.consume(count); }

  // The next four run until the deadline; false when the other side or the time is over.
  Task<bool> read(size_t most) {
    Code code;
    const auto room = buffer_.prepare(most);
    const size_t n = co_await socket_.async_read_some(room, quietly(code));
    buffer_.commit(n);
    co_return !code;
  }
  Task<bool> write(const std::string& bytes) {
    Code code;
    co_await asio::async_write(socket_, asio::buffer(bytes), quietly(code));
    co_return !code;
  }
  Task<bool> write(const http::response<http::string_body>& reply) {
    Code code;
    http::response_serializer<http::string_body> serializer(reply);
    co_await http::async_write(socket_, serializer, quietly(code));
    co_return !code;
  }
  // Closing at once would throw away what was sent, when the client has sent more than was read.
  Task<> linger() {
    Code code;
    socket_.shutdown(Tcp::socket::shutdown_send, code);
    if (code) co_return;
    arm(std::chrono::seconds(1));
    char rest[4096];
    for (size_t taken = 0; !code && taken < (1 << 20);)
      taken += co_await socket_.async_read_some(asio::buffer(rest), quietly(code));
    disarm();
  }

  Task<> sleep(Clock::duration time) {  // or until wake()
    Code code;
    wake_.expires_after(time);
    co_await wake_.async_wait(quietly(code));
  }
  void wake() { wake_.cancel(); }
  // A function for any thread; it does nothing once the connection is gone.
  std::function<void()> waker() {
    return [io = socket_.get_executor(), self = weak_from_this()] { asio::post(io, Wake{self}); };
  }

  bool left() {  // the client, without a byte being read
    if (!socket_.is_open()) return true;
    pollfd one{socket_.native_handle(), POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }
  std::string peer() const {  // its address, without the port
    Code code;
    const Tcp::endpoint other = socket_.remote_endpoint(code);
    return code ? std::string() : other.address().to_string();
  }
  void close() {
    Code ignored;
    socket_.close(ignored);
  }

 private:
  struct Alarm {
    std::weak_ptr<Wire> wire;
    uint64_t armed;
    void operator()(Code code) const {
      const auto self = wire.lock();
      if (code || !self || armed != self->armed_) return;
      self->late_ = true;
      self->socket_.cancel(code = {});
    }
  };
  struct Wake {
    std::weak_ptr<Wire> wire;
    void operator()() const {
      if (const auto self = wire.lock()) self->wake();
    }
  };

  Tcp::socket socket_;
  asio::steady_timer watch_, wake_;
  uint64_t armed_ = 0;  // which operation the deadline is of
  bool late_ = false;
  boost::beast::flat_buffer buffer_;
};

}  // namespace jogak::server
