// A stream of a GPU beside the one that computes, for a library that brings kernels of its own.
#pragma once

#include <functional>

namespace jogak {

struct SideStream {
  void* handle = nullptr;      // the runtime's cudaStream_t
  std::function<bool()> done;  // everything it was given
};

}  // namespace jogak
