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

  void enqueue(std::function<void()> kernel) override { queue_.push_back(std::move(kernel)); }
  std::unique_ptr<Event> record_event() override;
  void synchronize() override;
  void read(void* host, const std::byte* device, size_t bytes) override;
  void write(std::byte* device, const void* host, size_t bytes) override;

  int64_t synchronizations() const { return synchronizations_; }
  size_t waiting() const { return queue_.size(); }

 private:
  void protect(bool open);

  std::map<std::byte*, size_t> blocks_;
  std::deque<std::function<void()>> queue_;
  int64_t synchronizations_ = 0;
};

}  // namespace jogak::test
