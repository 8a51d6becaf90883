#include "tensor/counting_device.h"

#include <algorithm>
#include <cstring>

namespace jogak {
namespace {

// No process has memory here (the address is not canonical): whoever follows a pointer crashes
// at once instead of reading another's values.
constexpr uintptr_t kNowhere = uintptr_t{1} << 48;

class PassedEvent final : public Event {
 public:
  bool done() const override { return true; }
  void wait() override {}
};

}  // namespace

CountingDevice::CountingDevice()
    : Device(Kind::deferred, "counting",
             {[this](size_t bytes) {
                const uintptr_t block = next_;
                next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
                held_ += bytes;
                peak_held_ = std::max(peak_held_, held_);
                return reinterpret_cast<std::byte*>(block);
              },
              [this](std::byte*, size_t bytes) { held_ -= bytes; }}),
      next_(kNowhere) {}

CountingDevice::~CountingDevice() { allocator().trim(); }

std::unique_ptr<Event> CountingDevice::record_event() { return std::make_unique<PassedEvent>(); }

void CountingDevice::forget_peak() {
  allocator().trim();
  peak_held_ = held_;
}

void CountingDevice::read(void* host, const std::byte*, size_t bytes) {
  if (bytes) std::memset(host, 0, bytes);
}

}  // namespace jogak
