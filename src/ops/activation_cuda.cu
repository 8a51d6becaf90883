#include "ops/activation_kernel.h"
#include "ops/kernels/activation.cuh"

namespace jogak::cuda {
namespace {

template <Activation kKind>
struct Act {
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[1], S (&y)[1]) const {
    y[0] = act<kKind>(x[0]);
  }
};

template <Activation kKind>
struct ActBackward {  // x and dy
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[2], S (&y)[1]) const {
    y[0] = x[1] * slope<kKind>(x[0]);
  }
};

}  // namespace

void run(OnCuda on, const ActivationArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    for_activation(a.kind, [&]<Activation kKind>() {
      map(on, Arrays<T, 1, 1>{{static_cast<const T*>(a.x)}, {static_cast<T*>(a.y)}}, a.count,
          Act<kKind>{});
    });
  });
}

void run(OnCuda on, const ActivationBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    for_activation(a.kind, [&]<Activation kKind>() {
      map(on,
          Arrays<T, 2, 1>{{static_cast<const T*>(a.x), static_cast<const T*>(a.dy)},
                          {static_cast<T*>(a.dx)}},
          a.count, ActBackward<kKind>{});
    });
  });
}

}  // namespace jogak::cuda
