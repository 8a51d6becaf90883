#include "base/mapped_place.h"

#include <atomic>
#include <memory>

namespace jogak {
namespace {

struct Mapping {
  const char* begin;
  size_t bytes;
  std::string path;
};

std::atomic<Mapping*> mappings[512];
static_assert(std::atomic<Mapping*>::is_always_lock_free);

}  // namespace

MappedPlace mapped_place(const void* address) noexcept {
  const auto* const at = static_cast<const char*>(address);
  for (const auto& slot : mappings) {
    const Mapping* const one = slot.load();
    if (one && at >= one->begin && at < one->begin + one->bytes)
      return {one->path.c_str(), static_cast<size_t>(at - one->begin)};
  }
  return {};
}

void detail::note_mapping(const void* begin, size_t bytes, const std::string& path) {
  auto one = std::make_unique<Mapping>(Mapping{static_cast<const char*>(begin), bytes, path});
  for (auto& slot : mappings) {
    Mapping* none = nullptr;
    if (!slot.compare_exchange_strong(none, one.get())) continue;
    one.release();
    return;
  }
}

void detail::forget_mapping(const void* begin) noexcept {
  for (auto& slot : mappings) {
    Mapping* one = slot.load();
    if (!one || one->begin != begin || !slot.compare_exchange_strong(one, nullptr)) continue;
    delete one;
    return;
  }
}

}  // namespace jogak
