// First-in-first-out lists of places that share small blocks of memory: what one list is done
// with, another takes up, so memory stays near what is in use and nothing is copied when a list
// grows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/flat_map.h"

namespace jogak::text {

class PlacePool {
 public:
  static constexpr uint32_t kPlaces = 63;  // with `next` a block is 256 bytes
  struct Block {
    uint32_t next;
    uint32_t places[kPlaces];
  };

  Block& operator[](uint32_t block) { return slabs_[block / kSlab][block % kSlab]; }

  uint32_t take() {
    if (free_ != kNone) {
      const uint32_t block = free_;
      free_ = (*this)[block].next;
      return block;
    }
    if (used_ == slabs_.size() * kSlab)
      slabs_.push_back(std::make_unique_for_overwrite<Block[]>(kSlab));
    return used_++;
  }

  void give(uint32_t block) {
    (*this)[block].next = free_;
    free_ = block;
  }

  void reset(size_t slabs_kept) {  // all lists are forgotten
    if (slabs_.size() > slabs_kept) slabs_.resize(slabs_kept);
    used_ = 0;
    free_ = kNone;
  }

 private:
  static constexpr uint32_t kSlab = 1024;
  std::vector<std::unique_ptr<Block[]>> slabs_;
  uint32_t used_ = 0, free_ = kNone;
};

class PlaceList {
 public:
  bool empty() const { return head_ == kNone; }
  uint32_t back() const { return back_; }  // the place added last; the list is not empty
  uint32_t front(PlacePool& pool) const { return pool[head_].places[read_]; }

  void push(PlacePool& pool, uint32_t place) {
    if (empty()) {
      head_ = tail_ = pool.take();
      read_ = write_ = 0;
    } else if (write_ == PlacePool::kPlaces) {
      const uint32_t block = pool.take();
      pool[tail_].next = block;
      tail_ = block;
      write_ = 0;
    }
    pool[tail_].places[write_++] = back_ = place;
  }

  void pop(PlacePool& pool) {
    ++read_;
    const bool last = head_ == tail_;
    if (read_ < (last ? write_ : PlacePool::kPlaces)) return;
    const uint32_t done = head_;
    head_ = last ? kNone : pool[head_].next;
    read_ = 0;
    pool.give(done);
  }

 private:
  uint32_t head_ = kNone, tail_ = kNone, read_ = 0, write_ = 0, back_ = 0;
};

}  // namespace jogak::text
