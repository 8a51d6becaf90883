// Hash tables without nodes, for the two questions asked once per token: which number belongs to
// this 64-bit key (a pair of ids), and which to this string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace jogak {

inline constexpr uint32_t kNone = UINT32_MAX;

inline uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  return h ^ (h >> 29);
}

inline uint64_t hash_of(std::string_view text) {
  const char* p = text.data();
  size_t left = text.size();
  uint64_t h = left * 0x9E3779B97F4A7C15u, word = 0;
  for (; left >= 8; p += 8, left -= 8) {
    std::memcpy(&word, p, 8);
    h = mix(h ^ word) + 0x9E3779B97F4A7C15u;
  }
  word = 0;
  if (left > 0) std::memcpy(&word, p, left);
  return mix(h ^ word);
}

inline uint64_t pair_key(int left, int right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// 64-bit key -> 32-bit value below kNone. Grows by doubling at half full; keys are never removed.
class FlatMap {
 public:
  uint32_t find(uint64_t key) const {
    if (slots_.empty()) return kNone;
    for (size_t at = mix(key) & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.value == kNone || slot.key == key) return slot.value;
    }
  }

  // The value kept under `key`: the one already there, or `value` now put there.
  uint32_t insert(uint64_t key, uint32_t value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = place(key);
    if (slot.value == kNone) {
      slot = {key, value};
      ++count_;
    }
    return slot.value;
  }

  size_t size() const { return count_; }
  void fetch(uint64_t key) const {  // brings the place of a key that comes soon into the cache
    if (!slots_.empty()) __builtin_prefetch(&slots_[mix(key) & mask_]);
  }
  void reserve(size_t keys) {
    while (2 * (keys + 1) > slots_.size()) grow();
  }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t value = kNone;
  };

  Slot& place(uint64_t key) {
    size_t at = mix(key) & mask_;
    while (slots_[at].value != kNone && slots_[at].key != key) at = (at + 1) & mask_;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old)
      if (slot.value != kNone) place(slot.key) = slot;
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, count_ = 0;
};

// Numbers strings 0, 1, 2 ... The owner keeps the strings and shows them through key_at(number).
class StringIndex {
 public:
  template <class KeyAt>
  uint32_t find(std::string_view key, const KeyAt& key_at) const {
    if (slots_.empty()) return kNone;
    return slots_[place(key, hash_of(key), key_at)].number;
  }

  // The number of `key` and whether it is new: then the owner adds it as its next string.
  template <class KeyAt>
  std::pair<uint32_t, bool> insert(std::string_view key, const KeyAt& key_at) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const uint64_t hash = hash_of(key);
    Slot& slot = slots_[place(key, hash, key_at)];
    if (slot.number != kNone) return {slot.number, false};
    slot = {static_cast<uint32_t>(hash), count_++};
    return {slot.number, true};
  }

  void reserve(size_t keys) {
    while (2 * (keys + 1) > slots_.size()) grow();
  }

  // For searches that are known beforehand: fetch() brings the place of a string into the cache,
  // and then likely() is the number that find() will look at first, or kNone.
  void fetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }
  uint32_t likely(uint64_t hash) const {
    return slots_.empty() ? kNone : slots_[hash & mask_].number;
  }

 private:
  struct Slot {
    uint32_t hash = 0;  // its low half
    uint32_t number = kNone;
  };

  template <class KeyAt>
  size_t place(std::string_view key, uint64_t hash, const KeyAt& key_at) const {
    size_t at = hash & mask_;
    const auto low = static_cast<uint32_t>(hash);
    while (slots_[at].number != kNone &&
           (slots_[at].hash != low || key_at(slots_[at].number) != key))
      at = (at + 1) & mask_;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      size_t at = slot.hash & mask_;
      while (slots_[at].number != kNone) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  uint32_t count_ = 0;
};

}  // namespace jogak
