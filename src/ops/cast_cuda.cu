#include "ops/cast_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// Four at a time where both sides lie so.
template <class To, class From>
__global__ void cast_kernel(const From* x, To* y, int64_t count, bool even) {
  constexpr int kWide = 4;
  if (!even) {
    for (int64_t i = first_index(); i < count; i += index_step())
      y[i] = narrow<To>(static_cast<Sum<To>>(wide(x[i])));
    return;
  }
  for (int64_t g = first_index(); g * kWide < count; g += index_step()) {
    if ((g + 1) * kWide <= count) {
      const Pack<From, kWide> in = reinterpret_cast<const Pack<From, kWide>*>(x)[g];
      Pack<To, kWide> out;
#pragma unroll
      for (int j = 0; j < kWide; ++j) out.at[j] = narrow<To>(wide(in.at[j]));
      reinterpret_cast<Pack<To, kWide>*>(y)[g] = out;
    } else {
      for (int64_t i = g * kWide; i < count; ++i) y[i] = narrow<To>(wide(x[i]));
    }
  }
}

}  // namespace

void run(OnCuda on, const CastArgs& a) {
  const auto lies = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  const bool even = lies(a.x) && lies(a.y);
  const int64_t items = even ? (a.count + 3) / 4 : a.count;
  for_float(a.from, [&]<class From>() {
    for_float(a.to, [&]<class To>() {
      if constexpr (!std::is_same_v<From, double> && !std::is_same_v<To, double>)
        start(on, {.blocks = blocks_for(on, items)}, cast_kernel<To, From>,
              static_cast<const From*>(a.x), static_cast<To*>(a.y), a.count, even);
    });
  });
}

}  // namespace jogak::cuda
