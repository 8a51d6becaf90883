#include "tensor/allocator.h"

#include <algorithm>

#include "base/shortage.h"

namespace jogak {
namespace {

// Small blocks come in steps of 512 bytes, large ones in whole 64 KiB, so that nearly equal
// requests share blocks at little waste.
size_t rounded(size_t bytes) {
  const size_t step = bytes < (size_t{1} << 20) ? 512 : size_t{64} << 10;
  return std::max(step, (bytes + step - 1) / step * step);
}

thread_local CachingAllocator::Pool* open_pool = nullptr;

}  // namespace

CachingAllocator::~CachingAllocator() { trim(); }

CachingAllocator::Pool::~Pool() {
  const std::scoped_lock lock(allocator_.mutex_);
  for (const auto& [size, blocks] : free_)
    for (std::byte* block : blocks) {
      allocator_.stats_.live_bytes -= size;
      allocator_.stats_.cached_bytes += size;
      allocator_.free_[size].push_back({block, allocator_.releases_++});
    }
  for (auto& [block, about] : allocator_.handed_out_)
    if (about.pool == this) about.pool = nullptr;
}

CachingAllocator::Pool::Open::Open(Pool& pool) { open_pool = &pool; }
CachingAllocator::Pool::Open::~Open() { open_pool = nullptr; }

std::byte* CachingAllocator::take_cached(size_t wanted) {
  // A quarter too large will do: batches of unequal length then share their blocks.
  const auto found = free_.lower_bound(wanted);
  if (found == free_.end() || found->first > wanted + wanted / 4) return nullptr;
  std::byte* block = found->second.back().block;
  found->second.pop_back();
  const size_t size = found->first;
  if (found->second.empty()) free_.erase(found);
  stats_.cached_bytes -= size;
  stats_.live_bytes += size;
  handed_out_[block] = {size, nullptr};
  return block;
}

// Those of a pool never left: they are counted already.
std::byte* CachingAllocator::take_from(Pool& pool, size_t wanted) {
  const auto found = pool.free_.lower_bound(wanted);
  if (found == pool.free_.end() || found->first > wanted + wanted / 4) return nullptr;
  std::byte* block = found->second.back();
  found->second.pop_back();
  handed_out_[block] = {found->first, &pool};
  if (found->second.empty()) pool.free_.erase(found);
  return block;
}

// A miss means that the loop's sizes changed. Blocks that fit nothing any more must not pile up:
// what is held stays near the most that was ever in use at once, and the longest unused go first.
std::byte* CachingAllocator::take_new(size_t size) {
  const size_t limit = most_live_ + most_live_ / 4 + (size_t{64} << 20);
  const size_t held = stats_.live_bytes + stats_.cached_bytes + size;
  if (held > limit) give_back_oldest(held - limit);
  std::byte* block = source_.take(size);
  ++stats_.system_allocations;
  if (!block) {
    give_back_oldest(stats_.cached_bytes);
    block = source_.take(size);
  }
  ensure<OutOfMemory>(block != nullptr, "out of memory: asked for ", size, " bytes with ",
                      stats_.live_bytes, " bytes in use");
  handed_out_[block] = {size, nullptr};
  stats_.live_bytes += size;
  return block;
}

std::byte* CachingAllocator::allocate(size_t bytes) {
  ensure<DeviceError>(bytes <= (size_t{1} << 46), "asked for ", bytes, " bytes of memory at once");
  const std::scoped_lock lock(mutex_);
  const size_t size = rounded(bytes);
  Pool* const pool = open_pool && &open_pool->allocator_ == this ? open_pool : nullptr;
  std::byte* block = pool ? take_from(*pool, size) : nullptr;
  if (!block) block = take_cached(size);
  if (!block) block = take_new(size);
  handed_out_[block].pool = pool;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  most_live_ = std::max(most_live_, stats_.live_bytes);
  return block;
}

void CachingAllocator::release(std::byte* block) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = handed_out_.find(block);
  const auto [size, pool] = found->second;
  handed_out_.erase(found);
  if (pool) return pool->free_[size].push_back(block);
  stats_.live_bytes -= size;
  stats_.cached_bytes += size;
  free_[size].push_back({block, releases_++});
}

void CachingAllocator::give_back_oldest(size_t bytes) {
  size_t back = 0;
  while (back < bytes && !free_.empty()) {
    auto oldest = free_.begin();  // within a size the first is the oldest
    for (auto at = free_.begin(); at != free_.end(); ++at)
      if (at->second.front().since < oldest->second.front().since) oldest = at;
    const size_t size = oldest->first;
    source_.give_back(oldest->second.front().block, size);
    oldest->second.erase(oldest->second.begin());
    if (oldest->second.empty()) free_.erase(oldest);
    stats_.cached_bytes -= size;
    back += size;
  }
}

void CachingAllocator::trim() {
  const std::scoped_lock lock(mutex_);
  give_back_oldest(stats_.cached_bytes);
  most_live_ = stats_.live_bytes;
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
