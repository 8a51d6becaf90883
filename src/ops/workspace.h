// Scratch memory of a host kernel, from the caching allocator: nothing new in a steady loop.
#pragma once

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

}  // namespace jogak::cpu
