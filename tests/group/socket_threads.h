// Threads that stand for processes, connected by sockets.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "group/socket_group.h"

namespace jogak::test {

inline constexpr WatchTimes kQuick{.beat = std::chrono::milliseconds(50),
                                   .silence = std::chrono::milliseconds(1000)};

// Threads that stand for processes, each with connections of its own.
struct SocketThreads {
  int64_t count;
  uint16_t port = 0;
  Socket listener = listen_on("127.0.0.1", 0);

  explicit SocketThreads(int64_t processes) : count(processes) { port = listener.port(); }

  Meeting meeting(int64_t index, Facts facts = {}) {
    Meeting m{.self = {index, count}, .key = "k", .facts = facts, .listener = {}, .hosts = {}};
    m.hosts = {"127.0.0.1"}, m.port = port, m.patience = 20;
    if (index == 0) m.listener = std::move(listener);
    return m;
  }
  void run(const std::function<void(int64_t)>& work) const {
    std::vector<std::jthread> threads;
    for (int64_t i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  }
};

inline std::vector<std::byte> noise(size_t size, uint64_t seed) {
  std::vector<std::byte> out(size);
  Rng rng(seed);
  for (size_t at = 0; at + 4 <= size; at += 4) {
    const uint32_t word = rng.next_u32();
    std::memcpy(&out[at], &word, sizeof word);
  }
  return out;
}

}  // namespace jogak::test
