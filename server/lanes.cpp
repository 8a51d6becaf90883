#include "server/lanes.h"

namespace jogak::server {

Lanes::Lanes(int threads, size_t most) : most_(most) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Lanes::~Lanes() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Lanes::add(const std::string& name, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[name];
    if (lane.jobs.size() >= most_) return false;
    lane.jobs.push_back(std::move(job));
    if (lane.busy || lane.jobs.size() > 1) return true;  // somebody will come to it
    ready_.push_back(name);
  }
  changed_.notify_one();
  return true;
}

size_t Lanes::waiting(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_.find(name);
  return found == lanes_.end() ? 0 : found->second.jobs.size();
}

void Lanes::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !ready_.empty(); });
    if (ending_) return;
    const std::string name = std::move(ready_.front());
    ready_.pop_front();
    Lane& lane = lanes_[name];
    lane.busy = true;
    std::function<void()> job = std::move(lane.jobs.front());
    lane.jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds goes before the lane is free
    lock.lock();
    lane.busy = false;
    if (lane.jobs.empty()) {
      lanes_.erase(name);
      continue;
    }
    ready_.push_back(name);
    changed_.notify_one();
  }
}

}  // namespace jogak::server
