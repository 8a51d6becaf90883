// Scratch memory of a host kernel, from the caching allocator: nothing new in a steady loop.
#pragma once

#include "base/parallel.h"
#include "tensor/device.h"

namespace jogak::cpu {

class Workspace {
 public:
  explicit Workspace(size_t bytes) : block_(cpu_device().allocator().allocate(bytes)) {}
  ~Workspace() { cpu_device().allocator().release(block_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(block_);
  }

 private:
  std::byte* block_;
};

// The same for every thread of a parallel_for, taken before it begins: what a steady loop needs
// then does not depend on which threads happen to work at the same time.
class ThreadWorkspace {
 public:
  explicit ThreadWorkspace(size_t bytes)
      : bytes_((bytes + kAlignment) / kAlignment * kAlignment),
        all_(bytes_ * static_cast<size_t>(thread_count())) {}

  template <class T>
  T* mine() const {
    return reinterpret_cast<T*>(all_.as<std::byte>() +
                                bytes_ * static_cast<size_t>(thread_index()));
  }

 private:
  size_t bytes_;
  Workspace all_;
};

}  // namespace jogak::cpu
