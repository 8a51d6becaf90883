// Threads that stand for processes of a group.
#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "group/group.h"

namespace jogak::test {

struct ThreadMeeting {
  explicit ThreadMeeting(int64_t count) : together(count), out(static_cast<size_t>(count)) {}
  std::barrier<> together;
  std::vector<std::span<const Outgoing>> out;
};

class ThreadGroup final : public ProcessGroup {
 public:
  ThreadGroup(ThreadMeeting& meeting, int64_t index) : meeting_(meeting), index_(index) {}
  Processes processes() const override {
    return {index_, static_cast<int64_t>(meeting_.out.size())};
  }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    meeting_.out[static_cast<size_t>(index_)] = out;
    meeting_.together.arrive_and_wait();
    for (size_t from = 0; from < meeting_.out.size(); ++from) {
      std::vector<std::byte> bytes;
      for (const Outgoing& one : meeting_.out[from])
        if (one.to == index_) bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
      size_t at = 0;
      for (const Incoming& one : in) {
        if (one.from != static_cast<int64_t>(from)) continue;
        ensure<Error>(at + one.bytes.size() <= bytes.size(), "too few bytes from ", from);
        std::memcpy(one.bytes.data(), bytes.data() + at, one.bytes.size());
        at += one.bytes.size();
      }
      ensure<Error>(at == bytes.size(), "too many bytes from ", from);
    }
    meeting_.together.arrive_and_wait();
  }

 private:
  ThreadMeeting& meeting_;
  int64_t index_;
};

inline void in_threads(int64_t count, const std::function<void(ThreadGroup&)>& work) {
  ThreadMeeting meeting(count);
  std::vector<std::jthread> threads;
  for (int64_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      ThreadGroup group(meeting, i);
      work(group);
    });
}

}  // namespace jogak::test
