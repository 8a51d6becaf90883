#include "tensor/allocator.h"

#include <algorithm>

#include "base/error.h"

namespace jogak {
namespace {

// Small blocks come in steps of 512 bytes, large ones in whole 64 KiB, so that nearly equal
// requests share blocks at little waste.
size_t rounded(size_t bytes) {
  const size_t step = bytes < (size_t{1} << 20) ? 512 : size_t{64} << 10;
  return std::max(step, (bytes + step - 1) / step * step);
}

}  // namespace

CachingAllocator::~CachingAllocator() { trim(); }

std::byte* CachingAllocator::take_cached(size_t wanted) {
  const auto found = free_.lower_bound(wanted);
  if (found == free_.end() || found->first > wanted + wanted / 8) return nullptr;
  std::byte* block = found->second.back();
  found->second.pop_back();
  const size_t size = found->first;
  if (found->second.empty()) free_.erase(found);
  stats_.cached_bytes -= size;
  block_sizes_[block] = size;
  return block;
}

std::byte* CachingAllocator::allocate(size_t bytes) {
  ensure<DeviceError>(bytes <= (size_t{1} << 46), "asked for ", bytes, " bytes of memory at once");
  const std::scoped_lock lock(mutex_);
  const size_t size = rounded(bytes);
  std::byte* block = take_cached(size);
  if (!block) {
    // A miss means the loop's sizes changed: blocks that fit nothing any more must not pile up.
    if (stats_.cached_bytes > stats_.live_bytes / 2 + (size_t{64} << 20)) trim_locked();
    block = source_.take(size);
    ++stats_.system_allocations;
    if (!block) {
      trim_locked();
      block = source_.take(size);
    }
    ensure<DeviceError>(block != nullptr, "out of memory: asked for ", size, " bytes with ",
                        stats_.live_bytes, " bytes in use");
    block_sizes_[block] = size;
  }
  stats_.live_bytes += block_sizes_[block];
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  return block;
}

void CachingAllocator::release(std::byte* block) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = block_sizes_.find(block);
  const size_t size = found->second;
  block_sizes_.erase(found);
  stats_.live_bytes -= size;
  stats_.cached_bytes += size;
  free_[size].push_back(block);
}

void CachingAllocator::trim() {
  const std::scoped_lock lock(mutex_);
  trim_locked();
}

void CachingAllocator::trim_locked() {
  for (auto& [size, blocks] : free_)
    for (std::byte* block : blocks) source_.give_back(block, size);
  free_.clear();
  stats_.cached_bytes = 0;
}

MemoryStats CachingAllocator::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

void CachingAllocator::reset_peak() {
  const std::scoped_lock lock(mutex_);
  stats_.peak_bytes = stats_.live_bytes;
}

}  // namespace jogak
