// The one owner of a tensor's bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensor/device.h"

namespace jogak {

class Storage {
 public:
  Storage(Device& device, size_t bytes)
      : device_(&device), bytes_(bytes), data_(device.allocator().allocate(bytes)) {}
  // Bytes that belong to `owner` (a mapped file): shared, never freed here, read-only by contract.
  Storage(Device& device, size_t bytes, const std::byte* data, std::shared_ptr<const void> owner)
      : device_(&device),
        bytes_(bytes),
        data_(const_cast<std::byte*>(data)),
        owner_(std::move(owner)) {}
  // Bytes of a larger block, for as long as `held` lives.
  Storage(const Storage& whole, size_t begin, size_t bytes, std::shared_ptr<const void> held)
      : device_(whole.device_), bytes_(bytes), data_(whole.data_ + begin), held_(std::move(held)) {}
  ~Storage() {
    if (!owner_ && !held_) device_->allocator().release(data_);
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device& device() const { return *device_; }
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool borrowed() const { return owner_ != nullptr; }

  // Counts changes in place, so that autograd notices a saved tensor that was overwritten.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Device* device_;
  size_t bytes_;
  std::byte* data_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const void> held_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace jogak
