// A caching allocator: freed blocks are kept by size and handed out again, so that a steady
// loop asks the system for nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace jogak {

inline constexpr size_t kAlignment = 64;

struct MemoryStats {
  size_t live_bytes = 0;            // handed out now
  size_t peak_bytes = 0;            // most ever handed out since the last reset_peak
  size_t cached_bytes = 0;          // kept for reuse
  uint64_t system_allocations = 0;  // times the system was asked
};

class CachingAllocator {
 public:
  struct Source {                                  // where memory really comes from
    std::function<std::byte*(size_t bytes)> take;  // null when there is none
    std::function<void(std::byte*, size_t bytes)> give_back;
  };
  explicit CachingAllocator(Source source) : source_(std::move(source)) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  // Memory set aside for work that is recorded now and runs later, any number of times. While one
  // is open in a thread, what the thread takes comes from it and goes back to it, so that nobody
  // else is given it in between. Its blocks count as handed out for as long as it lives.
  class Pool {
   public:
    explicit Pool(CachingAllocator& allocator) : allocator_(allocator) {}
    ~Pool();  // its blocks are everybody's again
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    class Open {  // as long as it lives, in this thread
     public:
      explicit Open(Pool& pool);
      ~Open();
      Open(const Open&) = delete;
      Open& operator=(const Open&) = delete;
    };

   private:
    friend class CachingAllocator;
    CachingAllocator& allocator_;
    std::map<size_t, std::vector<std::byte*>> free_;  // by block size
  };

  std::byte* allocate(size_t bytes);  // DeviceError when out of memory; never null
  void release(std::byte* block) noexcept;
  void trim();  // gives every cached block back to the system

  MemoryStats stats() const;
  void reset_peak();

 private:
  struct Cached {
    std::byte* block;
    uint64_t since;  // the later, the larger
  };
  struct HandedOut {
    size_t size = 0;
    Pool* pool = nullptr;  // where it goes back to
  };
  std::byte* take_cached(size_t wanted);
  std::byte* take_from(Pool& pool, size_t wanted);
  std::byte* take_new(size_t size);
  void give_back_oldest(size_t bytes);  // until so many are back, or none are left

  Source source_;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Cached>> free_;  // by block size
  std::unordered_map<std::byte*, HandedOut> handed_out_;
  uint64_t releases_ = 0;
  size_t most_live_ = 0;  // ever, whatever reset_peak does
  MemoryStats stats_;
};

}  // namespace jogak
