// A device without memory: it hands out addresses that nobody may follow, drops every kernel, and
// counts. Running a training step on it tells, in no time, what the step would take elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tensor/device.h"

namespace jogak {

class CountingDevice final : public Device {
 public:
  CountingDevice();
  ~CountingDevice() override;  // every tensor on it must be gone by then

  void enqueue(std::function<void()>) override { ++kernels_; }  // dropped
  std::unique_ptr<Event> record_event() override;
  void synchronize() override {}
  void read(void* host, const std::byte* device, size_t bytes) override;  // zeros
  void write(std::byte*, const void*, size_t) override {}

  // What the allocator would hold of the system's memory, cached blocks included: allocator().
  // stats() alone counts what is handed out.
  size_t held_bytes() const { return held_; }
  size_t peak_held_bytes() const { return peak_held_; }
  void forget_peak();  // cached blocks go, and the peak counts from what is held then
  int64_t kernels() const { return kernels_; }

 private:
  uintptr_t next_;
  size_t held_ = 0, peak_held_ = 0;
  int64_t kernels_ = 0;
};

}  // namespace jogak
