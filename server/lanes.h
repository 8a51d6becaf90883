// Work in lanes: what is in one lane runs one after the other, lanes run beside each other. A model
// is a lane, so that it answers one request at a time and its queue has a limit.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace jogak::server {

class Lanes {
 public:
  // `most`: waiting in one lane.
  Lanes(int threads, size_t most);
  ~Lanes();  // what has begun is finished, the rest is dropped
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  // Jobs do not throw. False when as many as allowed wait in the lane already.
  bool add(const std::string& lane, std::function<void()> job);
  size_t waiting(const std::string& lane) const;

 private:
  struct Lane {
    std::deque<std::function<void()>> jobs;
    bool busy = false;
  };
  void work();

  const size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Lane> lanes_;
  std::deque<std::string> ready_;  // lanes with jobs that nobody works on
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace jogak::server
