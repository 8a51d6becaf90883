#include "ops/kernels/activation.cuh"
#include "ops/swiglu_kernel.h"

namespace jogak::cuda {
namespace {

struct Swiglu {  // gate and up
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[2], S (&y)[1]) const {
    y[0] = act<Activation::silu>(x[0]) * x[1];
  }
};

template <class S>
__device__ __forceinline__ void swiglu_back(S gate, S up, S dy, S& d_gate, S& d_up) {
  const SigmoidPair<S> s = sigmoid(gate);
  const S silu = gate * s.up;
  d_gate = dy * (up * (silu * s.down + s.up));  // s + x s (1 - s)
  d_up = dy * silu;
}

struct SwigluBackward {  // gate, up and dy
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[3], S (&y)[2]) const {
    swiglu_back(x[0], x[1], x[2], y[0], y[1]);
  }
};

template <class T>
struct PackedAt {
  const T* x;
  T* y;
  int64_t cols;
  __device__ void operator()(int64_t i) const {
    const int64_t at = i / cols * cols + i;  // 2 cols a row
    y[i] = narrow<T>(act<Activation::silu>(wide(x[at])) * wide(x[at + cols]));
  }
};

template <class T>
struct PackedBackwardAt {
  const T *x, *dy;
  T* dx;
  int64_t cols;
  __device__ void operator()(int64_t i) const {
    const int64_t at = i / cols * cols + i;
    Sum<T> d_gate, d_up;
    swiglu_back(wide(x[at]), wide(x[at + cols]), wide(dy[i]), d_gate, d_up);
    dx[at] = narrow<T>(d_gate);
    dx[at + cols] = narrow<T>(d_up);
  }
};

}  // namespace

void run(OnCuda on, const SwigluArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    map(on,
        Arrays<T, 2, 1>{{static_cast<const T*>(a.gate), static_cast<const T*>(a.up)},
                        {static_cast<T*>(a.y)}},
        a.count, Swiglu{});
  });
}

void run(OnCuda on, const SwigluBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    map(on,
        Arrays<T, 3, 2>{{static_cast<const T*>(a.gate), static_cast<const T*>(a.up),
                         static_cast<const T*>(a.dy)},
                        {static_cast<T*>(a.d_gate), static_cast<T*>(a.d_up)}},
        a.count, SwigluBackward{});
  });
}

void run(OnCuda on, const SwigluPackedArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    each(on, a.rows * a.cols,
         PackedAt<T>{static_cast<const T*>(a.x), static_cast<T*>(a.y), a.cols});
  });
}

void run(OnCuda on, const SwigluPackedBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    each(on, a.rows * a.cols,
         PackedBackwardAt<T>{static_cast<const T*>(a.x), static_cast<const T*>(a.dy),
                             static_cast<T*>(a.dx), a.cols});
  });
}

}  // namespace jogak::cuda
