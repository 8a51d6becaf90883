// What the tests open as libnccl.so.2: NCCL's functions over host memory and local sockets, for any
// threads or processes of one machine. Calls return at once, as NCCL's do with blocking = 0, and a
// thread does the work. Environment: STAND_IN_NCCL_INIT=3 makes process 3's communicator fail.
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "group/nccl.h"

namespace {

using jogak::Nccl;
constexpr int kUnhandled = 1, kInvalidUsage = 5, kRemoteError = 6;

sockaddr_un place_of(const Nccl::Id& id, int index, socklen_t& size) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string name = std::string("jogak-nccl-") + id.bytes + "-" + std::to_string(index);
  std::memcpy(at.sun_path + 1, name.data(), name.size());  // of the abstract kind: no file is left
  size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return at;
}

struct Move {
  bool out;
  std::byte* at;
  size_t bytes;
  int other;
};

std::atomic<int> aborted = 0, destroyed = 0, exchanges = 0;

}  // namespace

struct Nccl::Comm {
  int index = 0, count = 1;
  Nccl::Id id = {};
  std::vector<int> lines;  // to each; one of its own to itself, in both directions
  int own[2] = {-1, -1};
  std::atomic<int> state{Nccl::in_progress};
  std::atomic<bool> stop{false};
  std::thread work;

  void connect() {
    lines.assign(static_cast<size_t>(count), -1);
    socklen_t size = 0;
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const sockaddr_un own_place = place_of(id, index, size);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&own_place), size) != 0 ||
        ::listen(listener, count) != 0)
      return void(state = kUnhandled);
    for (int other = 0; other < index && !stop; ++other) {
      const int line = ::socket(AF_UNIX, SOCK_STREAM, 0);
      const sockaddr_un place = place_of(id, other, size);
      while (!stop && ::connect(line, reinterpret_cast<const sockaddr*>(&place), size) != 0)
        ::usleep(1000);
      if (::send(line, &index, sizeof index, MSG_NOSIGNAL) != sizeof index) break;
      lines[static_cast<size_t>(other)] = line;
    }
    for (int there = index + 1; there < count && !stop;) {
      const int line = ::accept(listener, nullptr, nullptr);
      if (line < 0) {
        ::usleep(1000);
        continue;
      }
      int other = 0;
      if (::recv(line, &other, sizeof other, MSG_WAITALL) != sizeof other) break;
      lines[static_cast<size_t>(other)] = line;
      ++there;
    }
    ::close(listener);
    static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, own));
    state = Nccl::success;
  }

  int line(const Move& move) const {
    return move.other == index ? own[move.out ? 0 : 1] : lines[static_cast<size_t>(move.other)];
  }

  // Of each line and direction one after the other, all lines at once. False: one is broken.
  bool do_moves(std::vector<Move> moves) {
    while (!moves.empty() && !stop) {
      for (size_t i = 0; i < moves.size(); ++i) {
        Move& one = moves[i];
        bool waits = false;
        for (size_t j = 0; j < i; ++j)
          waits |= moves[j].other == one.other && moves[j].out == one.out;
        if (waits) continue;
        const ssize_t moved =
            one.out ? ::send(line(one), one.at, one.bytes, MSG_NOSIGNAL | MSG_DONTWAIT)
                    : ::recv(line(one), one.at, one.bytes, MSG_DONTWAIT);
        if (moved == 0 || (moved < 0 && errno != EAGAIN)) return false;
        if (moved < 0) continue;
        one.at += moved, one.bytes -= static_cast<size_t>(moved);
        if (one.bytes == 0) moves.erase(moves.begin() + static_cast<ptrdiff_t>(i--));
      }
    }
    return true;
  }

  void end() {
    stop = true;
    if (work.joinable()) work.join();
    for (const int one : lines)
      if (one >= 0) ::close(one);
    for (const int one : own)
      if (one >= 0) ::close(one);
  }
};

namespace {

thread_local std::vector<Move> group;
thread_local Nccl::Comm* group_comm = nullptr;
thread_local std::atomic<int>* group_stream = nullptr;

Nccl::Result as_result(int code) { return static_cast<Nccl::Result>(code); }

Nccl::Result add(bool out, void* at, size_t bytes, int other, Nccl::Comm* comm, void* stream) {
  if (!comm || other < 0 || other >= comm->count || comm->state != Nccl::success)
    return as_result(kInvalidUsage);
  group.push_back({out, static_cast<std::byte*>(at), bytes, other});
  group_comm = comm, group_stream = static_cast<std::atomic<int>*>(stream);
  return Nccl::success;
}

}  // namespace

extern "C" {

int stand_in_aborted() { return aborted; }
int stand_in_destroyed() { return destroyed; }
int stand_in_exchanges() { return exchanges; }

Nccl::Result ncclGetVersion(int* out) { return *out = 22809, Nccl::success; }

Nccl::Result ncclGetUniqueId(Nccl::Id* out) {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return as_result(kUnhandled);
  std::memset(out, 0, sizeof *out);
  std::snprintf(out->bytes, sizeof out->bytes, "%016lx", static_cast<unsigned long>(number));
  return Nccl::success;
}

Nccl::Result ncclCommInitRankConfig(Nccl::Comm** out, int count, Nccl::Id id, int index,
                                    Nccl::Config* config) {
  const char* const fails = std::getenv("STAND_IN_NCCL_INIT");
  if (config->magic != 0xcafebeef || config->blocking != 0 || config->size < 20)
    return as_result(kInvalidUsage);
  if (fails && std::atoi(fails) == index + 1) return as_result(kUnhandled);
  Nccl::Comm* const comm = *out = new Nccl::Comm;
  comm->index = index, comm->count = count, comm->id = id;
  comm->work = std::thread([comm] { comm->connect(); });
  return Nccl::in_progress;
}

Nccl::Result ncclCommGetAsyncError(Nccl::Comm* comm, Nccl::Result* out) {
  if (!comm) return as_result(kInvalidUsage);
  return *out = as_result(comm->state), Nccl::success;
}

Nccl::Result ncclGroupStart() { return group.clear(), Nccl::success; }

Nccl::Result ncclSend(const void* at, size_t bytes, Nccl::Type, int to, Nccl::Comm* comm,
                      void* stream) {
  return add(true, const_cast<void*>(at), bytes, to, comm, stream);
}

Nccl::Result ncclRecv(void* at, size_t bytes, Nccl::Type, int from, Nccl::Comm* comm,
                      void* stream) {
  return add(false, at, bytes, from, comm, stream);
}

// As in NCCL the communicator is in progress until the stream has the work, and the stream goes on.
Nccl::Result ncclGroupEnd() {
  if (group.empty()) return Nccl::success;
  Nccl::Comm* const comm = group_comm;
  std::atomic<int>* const stream = group_stream;
  ++exchanges;
  comm->state = Nccl::in_progress;
  if (comm->work.joinable()) comm->work.join();
  comm->work = std::thread([comm, stream, moves = std::move(group)] {
    ::usleep(200);
    ++*stream;
    comm->state = Nccl::success;
    if (!comm->do_moves(moves))
      comm->state = kRemoteError;  // and the stream never ends
    else if (!comm->stop)
      --*stream;
  });
  group.clear();
  return Nccl::in_progress;
}

Nccl::Result ncclCommFinalize(Nccl::Comm*) { return Nccl::success; }

Nccl::Result ncclCommDestroy(Nccl::Comm* comm) {
  comm->end();
  ++destroyed;
  return delete comm, Nccl::success;
}

Nccl::Result ncclCommAbort(Nccl::Comm* comm) {
  comm->end();
  ++aborted;
  return delete comm, Nccl::success;
}

const char* ncclGetErrorString(Nccl::Result result) {
  return result == kRemoteError ? "remote process exited or there was a network error"
                                : "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
}
const char* ncclGetLastError(Nccl::Comm*) { return ""; }

}  // extern "C"
