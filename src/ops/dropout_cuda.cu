#include "ops/dropout_kernel.h"
#include "ops/kernels/philox.cuh"

namespace jogak::cuda {
namespace {

struct Drop {
  DropRule rule;
  uint64_t first;
  template <class S>
  __device__ void operator()(int64_t i, const S (&x)[1], S (&y)[1]) const {
    const S factor = drop_factor<S>(rule, first + static_cast<uint64_t>(i));
    y[0] = factor == S{0} ? S{0} : x[0] * factor;  // NaN goes, too
  }
};

}  // namespace

void run(OnCuda on, const DropoutArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    map(on, Arrays<T, 1, 1>{{static_cast<const T*>(a.x)}, {static_cast<T*>(a.y)}}, a.count,
        Drop{a.rule, a.first});
  });
}

}  // namespace jogak::cuda
