#include "base/mapped_place.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jogak {
namespace {

// A thread looks at places of other threads only through atomics: what `path` points to may be gone
// a moment later, but not while its own mapping is there.
struct MappingSlot {
  std::atomic<const std::string*> path;  // not null: taken
  std::atomic<const char*> begin;        // set last, and cleared first
  std::atomic<size_t> bytes;
};
MappingSlot mapping_slots[512];
static_assert(std::atomic<const std::string*>::is_always_lock_free &&
              std::atomic<size_t>::is_always_lock_free);

// The slot of the mapping that an address lies in, which may be another thread's: its path is not
// touched.
const MappingSlot* slot_of(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  for (const MappingSlot& slot : mapping_slots) {
    const char* const begin = slot.begin.load();
    const size_t bytes = slot.bytes.load();
    if (begin && at >= begin && at < begin + bytes && slot.begin.load() == begin) return &slot;
  }
  return nullptr;
}

}  // namespace

MappedPlace mapped_place(const void* address) noexcept {
  const MappingSlot* const slot = slot_of(address);
  if (!slot) return {};
  const auto* const at = static_cast<const char*>(address);
  return {slot->path.load()->c_str(), static_cast<size_t>(at - slot->begin.load())};
}

void release_pages(const void* begin, size_t bytes) noexcept {
  const MappingSlot* const own = slot_of(begin);
  if (!own) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE)), around = 16 * page;
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const auto same_file = [&](uintptr_t address) {
    return slot_of(reinterpret_cast<const void*>(address)) == own;
  };
  uintptr_t first = (at + page - 1) / page * page, end = (at + bytes) / page * page;
  // Linux maps some pages around one that is read.
  if (first > around && same_file(first - around)) first -= around;
  if (same_file(end + around)) end += around;
  if (end > first) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

void detail::note_mapping(const void* begin, size_t bytes, const std::string& path) {
  auto own = std::make_unique<const std::string>(path);
  for (MappingSlot& slot : mapping_slots) {
    const std::string* none = nullptr;
    if (!slot.path.compare_exchange_strong(none, own.get())) continue;
    own.release();
    slot.bytes = bytes;
    slot.begin = static_cast<const char*>(begin);
    return;
  }
}

// Called before the memory is given back: no other mapping begins there yet.
void detail::forget_mapping(const void* begin) noexcept {
  for (MappingSlot& slot : mapping_slots) {
    if (slot.begin.load() != begin) continue;
    slot.begin = nullptr;
    delete slot.path.exchange(nullptr);
    return;
  }
}

}  // namespace jogak
