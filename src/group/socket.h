// TCP connections between processes of a group. Every wait has an end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace jogak {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  uint16_t port() const;     // of this end
  std::string peer() const;  // "10.0.0.7", of the other
  bool both_here() const;    // both ends have one address: the other is on this machine
  void never_wait();         // non-blocking from here on
  void inherit(bool yes);    // whether a started program gets it

 private:
  int fd_ = -1;
};

// How long to wait, and whether the user wants to stop: Stopped then.
struct Patience {
  std::chrono::steady_clock::time_point until;
  const std::atomic<bool>* stop = nullptr;
  static Patience seconds(double count, const std::atomic<bool>* stop = nullptr);
  bool over() const;  // throws Stopped when asked to
};

Socket listen_on(const std::string& address, uint16_t port);           // port 0: any that is free
Socket accept_from(const Socket& listener, const Patience& patience);  // not open: nobody came
// Tries again until somebody listens there; not open when patience is over.
Socket connect_to(const std::string& host, uint16_t port, const Patience& patience);

// Short messages of the time before work begins: a length and JSON. False, or null, when the other
// side is gone, is too slow or says something else.
bool send_message(const Socket& to, const Json& message, const Patience& patience);
Json receive_message(const Socket& from, const Patience& patience);

}  // namespace jogak
