#include "group/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "base/shortage.h"

namespace jogak {
namespace {

// Messages are one letter; `lost` and `failed` are followed by two bytes of length and words.
enum : char { kBeat = 'b', kLeft = 'g', kLost = 'l', kFailedWord = 'f' };
using WatchClock = std::chrono::steady_clock;

std::string with_words(char kind, const std::string& words) {
  const size_t size = std::min<size_t>(words.size(), 1000);
  std::string out(1, kind);
  out += static_cast<char>(size >> 8);
  out += static_cast<char>(size & 255);
  return out + words.substr(0, size);
}

}  // namespace

Watch::Watch(Processes self, std::vector<Member>& members, WatchTimes times)
    : self_(self), members_(members), times_(times) {
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members[i].control.open()) continue;
    members[i].control.never_wait();
    peers_.push_back({.index = static_cast<int64_t>(i),
                      .fd = members[i].control.fd(),
                      .said = {},
                      .heard = WatchClock::now()});
  }
  ensure<IoError>(::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) == 0, "pipe: ", std::strerror(errno));
  sigset_t all, before;  // signals are for the main thread
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watch::~Watch() {
  const ssize_t woken = ::write(wake_[1], "x", 1);
  static_cast<void>(woken);
  thread_.join();
  const bool quiet = lost_.empty();
  if (quiet && std::uncaught_exceptions() > 0)
    send_to_all(with_words(kFailedWord, members_[static_cast<size_t>(self_.index)].name +
                                            " failed, its message says why"));
  else if (quiet)
    send_to_all(std::string(1, kLeft));
  for (const int end : wake_) ::close(end);
}

void Watch::check() {
  const std::scoped_lock lock(mutex_);
  if (lost_.empty()) return;
  if (failed_) fail<Error>("training: ", lost_);
  fail<ProcessLost>(lost_);
}

void Watch::explain(int64_t process) {
  const auto until = WatchClock::now() + times_.silence + times_.beat;
  while (WatchClock::now() < until) {
    check();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fail<ProcessLost>(members_[static_cast<size_t>(process)].name,
                    " left before the work was done; the run stands at its last checkpoint, "
                    "--resume goes on from there");
}

void Watch::send_to_all(const std::string& message) {
  for (const Peer& peer : peers_)
    if (!peer.left)  // who does not read is found by its silence
      static_cast<void>(
          ::send(peer.fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

void Watch::lose(const std::string& why, bool failed) {
  {
    const std::scoped_lock lock(mutex_);
    if (!lost_.empty()) return;
    lost_ = why;
    failed_ = failed;
  }
  send_to_all(with_words(failed ? kFailedWord : kLost, why));  // all name the same
}

void Watch::understand(Peer& peer) {
  size_t at = 0;
  while (at < peer.said.size()) {
    const char kind = peer.said[at];
    if (kind == kBeat || kind == kLeft) {
      peer.left |= kind == kLeft;
      ++at;
      continue;
    }
    if (peer.said.size() - at < 3) break;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(peer.said[at + i]); };
    const size_t size = size_t{byte(1)} << 8 | byte(2);
    if (peer.said.size() - at < 3 + size) break;
    lose(peer.said.substr(at + 3, size), kind == kFailedWord);
    at += 3 + size;
  }
  peer.said.erase(0, at);
}

void Watch::listen(Peer& peer) {
  char bytes[4096];
  while (true) {
    const ssize_t got = ::recv(peer.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
      peer.heard = WatchClock::now();
      peer.said.append(bytes, static_cast<size_t>(got));
      understand(peer);
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (!peer.left)
      lose(text_of(members_[static_cast<size_t>(peer.index)].name,
                   " is gone: its connection closed; the run stands at its last checkpoint, "
                   "--resume goes on from there"),
           false);
    peer.left = true;
    return;
  }
}

void Watch::run() {
  auto next = WatchClock::now();
  std::vector<pollfd> watched;
  while (true) {
    watched.assign(1, {wake_[0], POLLIN, 0});
    for (const Peer& peer : peers_) watched.push_back({peer.left ? -1 : peer.fd, POLLIN, 0});
    const auto before = WatchClock::now();
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(next - before);
    ::poll(watched.data(), watched.size(), static_cast<int>(std::max<int64_t>(wait.count(), 0)));
    if (watched[0].revents != 0) return;
    const auto now = WatchClock::now();
    // Whoever was asleep itself cannot say that the others were silent.
    const bool slept = now - before > wait + times_.silence / 2;
    for (Peer& peer : peers_) {
      if (peer.left) continue;
      listen(peer);
      if (slept) peer.heard = std::max(peer.heard, now);
      if (!peer.left && now - peer.heard > times_.silence)
        lose(text_of(members_[static_cast<size_t>(peer.index)].name, " has been silent for ",
                     std::chrono::duration_cast<std::chrono::seconds>(now - peer.heard).count(),
                     " s; the run stands at its last checkpoint, --resume goes on from there"),
             false);
    }
    if (now < next) continue;
    send_to_all(std::string(1, kBeat));
    next = now + times_.beat;
  }
}

}  // namespace jogak
