#include "group/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace jogak {
namespace {

constexpr uint32_t kLongestMessage = 1 << 22;
constexpr int kBit = 50;  // ms between looks at the stop flag

bool ready(int fd, short events) {
  pollfd watched{fd, events, 0};
  return ::poll(&watched, 1, kBit) > 0;
}

void answer_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in own_end(int fd) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  return at;
}

sockaddr_in other_end(int fd) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&at), &size);
  return at;
}

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;
Found look_up_host(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    found = nullptr;
  return {found, [](addrinfo* list) {
            if (list) ::freeaddrinfo(list);
          }};
}

Socket connect_once(const addrinfo& to, const Patience& patience) {
  Socket out(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.open()) return {};
  if (::connect(out.fd(), to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) return {};
  while (!ready(out.fd(), POLLOUT))
    if (patience.over()) return {};
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(out.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return {};
  answer_at_once(out.fd());
  return out;
}

bool move_all(const Socket& socket, char* bytes, size_t size, bool out, const Patience& patience) {
  while (size > 0) {
    const ssize_t moved = out ? ::send(socket.fd(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                              : ::recv(socket.fd(), bytes, size, MSG_DONTWAIT);
    if (moved > 0) {
      bytes += moved;
      size -= static_cast<size_t>(moved);
      continue;
    }
    if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
    if (patience.over()) return false;
    ready(socket.fd(), out ? POLLOUT : POLLIN);
  }
  return true;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

uint16_t Socket::port() const { return ntohs(own_end(fd_).sin_port); }

std::string Socket::peer() const {
  const sockaddr_in at = other_end(fd_);
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &at.sin_addr, text, sizeof text);
  return text;
}

bool Socket::both_here() const {
  return own_end(fd_).sin_addr.s_addr == other_end(fd_).sin_addr.s_addr;
}

void Socket::never_wait() { ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK); }
void Socket::inherit(bool yes) { ::fcntl(fd_, F_SETFD, yes ? 0 : FD_CLOEXEC); }

Patience Patience::seconds(double count, const std::atomic<bool>* stop) {
  const auto time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(count));
  return {std::chrono::steady_clock::now() + time, stop};
}

bool Patience::over() const {
  ensure<Stopped>(!stop || !stop->load(), "stopped while waiting for the other processes");
  return std::chrono::steady_clock::now() >= until;
}

Socket listen_on(const std::string& address, uint16_t port) {
  Socket out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ensure<IoError>(out.open(), "socket: ", std::strerror(errno));
  const int on = 1;
  ::setsockopt(out.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  ensure<UsageError>(::inet_pton(AF_INET, address.c_str(), &at.sin_addr) == 1, address,
                     ": wanted an IPv4 address to listen on");
  const bool bound = ::bind(out.fd(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 &&
                     ::listen(out.fd(), SOMAXCONN) == 0;
  ensure<IoError>(bound, address, ":", port, ": cannot listen there: ", std::strerror(errno));
  return out;
}

Socket accept_from(const Socket& listener, const Patience& patience) {
  while (true) {
    Socket out(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (out.open()) {
      answer_at_once(out.fd());
      return out;
    }
    if (patience.over()) return {};
    ready(listener.fd(), POLLIN);
  }
}

Socket connect_to(const std::string& host, uint16_t port, const Patience& patience) {
  while (true) {
    const Found found = look_up_host(host, port);
    for (const addrinfo* one = found.get(); one; one = one->ai_next)
      if (Socket out = connect_once(*one, patience); out.open()) return out;
    if (patience.over()) return {};
    ::poll(nullptr, 0, kBit);
  }
}

bool send_message(const Socket& to, const Json& message, const Patience& patience) {
  std::string text = message.dump();
  uint32_t size = htonl(static_cast<uint32_t>(text.size()));
  return move_all(to, reinterpret_cast<char*>(&size), sizeof size, true, patience) &&
         move_all(to, text.data(), text.size(), true, patience);
}

Json receive_message(const Socket& from, const Patience& patience) {
  uint32_t size = 0;
  if (!move_all(from, reinterpret_cast<char*>(&size), sizeof size, false, patience)) return {};
  size = ntohl(size);
  if (size > kLongestMessage) return {};
  std::string text(size, '\0');
  if (!move_all(from, text.data(), text.size(), false, patience)) return {};
  try {
    return parse_json(text, "message");
  } catch (const FormatError&) {
    return {};
  }
}

}  // namespace jogak
