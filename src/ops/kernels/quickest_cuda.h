// Several kernels for the same thing: which of them is the quickest here.
#pragma once

#include <functional>
#include <span>

#include "tensor/launch.h"

namespace jogak::cuda {

struct Written {  // 16-bit numbers that every way writes
  const void* numbers;
  int64_t count;
};

// Way 0, or a quicker one that leaves the same bits: clocks choose, results do not change with what
// they say. way(i) computes by the i-th, or says that it cannot; it reads nothing it writes. The
// results are left as the last one wrote them. Waits for the device: not while work is recorded.
int quickest_alike(OnCuda on, int ways, const std::function<bool(int)>& way,
                   std::span<const Written> results);

// Whether this thread's kernels are being recorded, not run.
bool recording(OnCuda on);

}  // namespace jogak::cuda
