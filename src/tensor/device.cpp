#include "tensor/device.h"

#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace jogak {
namespace {

constexpr size_t kHuge = size_t{2} << 20;

// Large blocks lie on 2 MiB borders and may use huge pages: fewer TLB misses in GEMMs. They come
// from the system and go back to it, past malloc, which would keep what is given back in pieces: a
// process takes what its allocator holds, and no more.
std::byte* take_host_memory(size_t bytes) {
  if (bytes < kHuge)
    return static_cast<std::byte*>(
        std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  const size_t whole = bytes + kHuge;
  void* const mapped =
      ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const size_t before = (kHuge - reinterpret_cast<uintptr_t>(begin) % kHuge) % kHuge;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, whole - before - bytes);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

void give_back_host_memory(std::byte* block, size_t bytes) {
  bytes < kHuge ? std::free(block) : static_cast<void>(::munmap(block, bytes));
}

class DoneEvent final : public Event {
 public:
  bool done() const override { return true; }
  void wait() override {}
  double seconds_since(const Event& earlier) const override {
    return std::chrono::duration<double>(at_ - static_cast<const DoneEvent&>(earlier).at_).count();
  }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

class CpuDevice final : public Device {
 public:
  CpuDevice() : Device(Kind::cpu, "cpu", {take_host_memory, give_back_host_memory}) {}
  void enqueue(std::function<void()> kernel) override { kernel(); }
  std::unique_ptr<Event> record_event() override { return std::make_unique<DoneEvent>(); }
  void synchronize() override {}
  void read(void* host, const std::byte* device, size_t bytes) override {
    if (bytes) std::memcpy(host, device, bytes);
  }
  void write(std::byte* device, const void* host, size_t bytes) override {
    if (bytes) std::memcpy(device, host, bytes);
  }
};

class Arrived final : public Arriving {
 public:
  explicit Arrived(size_t bytes) : bytes_(bytes) {}
  std::byte* data() { return bytes_.data(); }
  std::span<const std::byte> wait() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

thread_local int recordings = 0;  // of this thread that are open

}  // namespace

RecordingHere::RecordingHere() { ++recordings; }
RecordingHere::~RecordingHere() { --recordings; }

void decided_by_host() {
  ensure<HostNeeded>(recordings == 0, "recorded work needs the host on its way");
}

double Event::seconds_since(const Event&) const { return 0; }

size_t Device::free_memory() const { return std::numeric_limits<size_t>::max(); }

std::unique_ptr<Arriving> Device::read_later(const std::byte* device, size_t bytes) {
  auto out = std::make_unique<Arrived>(bytes);
  read(out->data(), device, bytes);
  return out;
}

std::unique_ptr<Recorded> Device::record(const std::function<void()>&) { return nullptr; }

Device& cpu_device() {
  static CpuDevice* device = new CpuDevice;  // outlives every static tensor
  return *device;
}

}  // namespace jogak
