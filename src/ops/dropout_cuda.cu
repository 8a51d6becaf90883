#include "ops/dropout_kernel.h"
#include "ops/kernels/philox.cuh"

namespace jogak::cuda {
namespace {

// Four neighbours share a call of the generator; `first` and packs begin at multiples of four.
template <class T>
struct DropFour {
  DropOnDevice drop;
  uint64_t first;
  const T* x;
  T* y;
  int64_t count;
  bool packed;  // both lie four at a time
  __device__ void operator()(int64_t i) const {
    const DropRule rule = drop.now();
    const PhiloxWords w =
        philox_words(rule.seed, rule.stream, first / 4 + static_cast<uint64_t>(i));
    const auto kept = [&](T value, int j) {  // of what goes, NaN goes, too
      return w.at[j] < rule.limit ? narrow<T>(Sum<T>{0})
                                  : narrow<T>(wide(value) * static_cast<Sum<T>>(rule.scale));
    };
    if (packed && 4 * i + 4 <= count) {
      Pack<T, 4> four = reinterpret_cast<const Pack<T, 4>*>(x)[i];
#pragma unroll
      for (int j = 0; j < 4; ++j) four.at[j] = kept(four.at[j], j);
      reinterpret_cast<Pack<T, 4>*>(y)[i] = four;
    } else {
      for (int j = 0; j < 4 && 4 * i + j < count; ++j) y[4 * i + j] = kept(x[4 * i + j], j);
    }
  }
};

}  // namespace

void run(OnCuda on, const DropoutArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    const bool packed = (reinterpret_cast<uintptr_t>(a.x) | reinterpret_cast<uintptr_t>(a.y)) %
                            sizeof(Pack<T, 4>) ==
                        0;
    each(on, (a.count + 3) / 4,
         DropFour<T>{{on, a.rule},
                     a.first,
                     static_cast<const T*>(a.x),
                     static_cast<T*>(a.y),
                     a.count,
                     packed});
  });
}

}  // namespace jogak::cuda
