#include "tests/support/guarded_device.h"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace jogak::test {
namespace {

constexpr size_t kPage = 4096;
size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

class GuardedEvent final : public Event {
 public:
  explicit GuardedEvent(GuardedDevice& device) : device_(&device) {}
  bool done() const override { return device_->waiting() == 0; }
  void wait() override { device_->synchronize(); }

 private:
  GuardedDevice* device_;
};

class GuardedWork final : public Recorded {
 public:
  explicit GuardedWork(GuardedDevice& device)
      : device_(&device), memory_(std::make_unique<CachingAllocator::Pool>(device.allocator())) {}
  void start(uint64_t) override { device_->start(kernels); }  // kernels keep their streams here
  CachingAllocator::Pool& memory() { return *memory_; }
  std::deque<std::function<void()>> kernels;

 private:
  GuardedDevice* device_;
  std::unique_ptr<CachingAllocator::Pool> memory_;
};

}  // namespace

GuardedDevice::GuardedDevice()
    : Device(Kind::deferred, "guarded",
             {[this](size_t bytes) -> std::byte* {
                void* block = ::mmap(nullptr, whole_pages(bytes), PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (block == MAP_FAILED) return nullptr;
                blocks_[static_cast<std::byte*>(block)] = whole_pages(bytes);
                return static_cast<std::byte*>(block);
              },
              [this](std::byte* block, size_t bytes) {
                blocks_.erase(block);
                ::munmap(block, whole_pages(bytes));
              }}) {}

GuardedDevice::~GuardedDevice() { allocator().trim(); }

void GuardedDevice::protect(bool open) {
  for (const auto& [block, bytes] : blocks_)
    if (::mprotect(block, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
      throw std::runtime_error("mprotect failed");
}

std::unique_ptr<Event> GuardedDevice::record_event() {
  return std::make_unique<GuardedEvent>(*this);
}

std::unique_ptr<Recorded> GuardedDevice::record(const std::function<void()>& work) {
  auto out = std::make_unique<GuardedWork>(*this);
  kept_ = &out->kernels;
  try {
    const CachingAllocator::Pool::Open open(out->memory());
    const RecordingHere here;
    work();
  } catch (const HostNeeded&) {
    out.reset();
  }
  kept_ = nullptr;
  return out;
}

void GuardedDevice::start(const std::deque<std::function<void()>>& recorded) {
  ++starts_;
  queue_.insert(queue_.end(), recorded.begin(), recorded.end());
}

void GuardedDevice::synchronize() {
  ensure<HostNeeded>(!kept_, "guarded: waited for while work is recorded");
  ++synchronizations_;
  protect(true);
  try {
    while (!queue_.empty()) {
      const std::function<void()> kernel = std::move(queue_.front());
      queue_.pop_front();
      kernel();
    }
  } catch (...) {
    queue_.clear();
    protect(false);
    throw;
  }
  protect(false);
}

void GuardedDevice::read(void* host, const std::byte* device, size_t bytes) {
  synchronize();
  protect(true);
  std::memcpy(host, device, bytes);
  protect(false);
}

// Copied when the queue comes to it: also at each start of recorded work.
class GuardedDevice::Arrival final : public Arriving {
 public:
  Arrival(GuardedDevice& device, const std::byte* from, size_t bytes)
      : device_(&device), bytes_(std::make_shared<std::vector<std::byte>>(bytes)) {
    device.enqueue([from, to = bytes_] { std::memcpy(to->data(), from, to->size()); });
  }
  std::span<const std::byte> wait() override {
    device_->synchronize();
    return *bytes_;
  }

 private:
  GuardedDevice* device_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

std::unique_ptr<Arriving> GuardedDevice::read_later(const std::byte* device, size_t bytes) {
  return std::make_unique<Arrival>(*this, device, bytes);
}

void GuardedDevice::write(std::byte* device, const void* host, size_t bytes) {
  ensure<HostNeeded>(!kept_, "guarded: written to while work is recorded");
  const auto* const from = static_cast<const std::byte*>(host);
  enqueue([device, values = std::vector<std::byte>(from, from + bytes)] {
    std::copy(values.begin(), values.end(), device);
  });
}

}  // namespace jogak::test
