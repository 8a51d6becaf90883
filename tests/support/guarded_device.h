// A device that proves ops keep their hands off: its memory can be read and written only while
// its own queue runs, and the queue runs only when someone waits. An op that looks at values
// from the host, or that quietly synchronises, crashes or is counted here.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "tensor/device.h"

namespace jogak::test {

class GuardedDevice final : public Device {
 public:
  GuardedDevice();
  ~GuardedDevice() override;

  void enqueue(std::function<void()> kernel) override {
    (kept_ ? *kept_ : queue_).push_back(std::move(kernel));
  }
  std::unique_ptr<Event> record_event() override;
  void synchronize() override;
  void read(void* host, const std::byte* device, size_t bytes) override;
  void write(std::byte* device, const void* host, size_t bytes) override;
  std::unique_ptr<Arriving> read_later(const std::byte* device, size_t bytes) override;
  std::unique_ptr<Recorded> record(const std::function<void()>& work) override;

  int64_t synchronizations() const { return synchronizations_; }
  size_t waiting() const { return queue_.size(); }
  int64_t starts() const { return starts_; }  // of recorded work
  void start(const std::deque<std::function<void()>>& recorded);

 private:
  class Arrival;
  void protect(bool open);

  std::map<std::byte*, size_t> blocks_;
  std::deque<std::function<void()>> queue_;
  std::deque<std::function<void()>>* kept_ = nullptr;  // of what is being recorded
  int64_t synchronizations_ = 0, starts_ = 0;
};

}  // namespace jogak::test
