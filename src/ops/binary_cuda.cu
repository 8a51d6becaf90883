#include "ops/binary_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

template <Binary kKind>
struct Both {
  template <class S>
  __device__ static S of(S p, S q) {
    if constexpr (kKind == Binary::add) return p + q;
    if constexpr (kKind == Binary::sub) return p - q;
    return p * q;
  }
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[2], S (&y)[1]) const {
    y[0] = of(x[0], x[1]);
  }
};

template <Binary kKind, class T>
struct BothAt {
  Loops loops;
  const T *a, *b;
  T* y;
  __device__ void operator()(int64_t i) const {
    int64_t rest = i, p = 0, q = 0;
    for (int axis = loops.rank - 1; axis >= 0; --axis) {
      const int64_t above = rest / loops.size[axis], at = rest - above * loops.size[axis];
      p += at * loops.step[1][axis];
      q += at * loops.step[2][axis];
      rest = above;
    }
    y[i] = narrow<T>(Both<kKind>::of(wide(a[p]), wide(b[q])));
  }
};

// y = a (op) b repeated, packs at a time.
template <Binary kKind, class T>
struct BothRepeated {
  static constexpr int kWide = 16 / sizeof(T);
  using P = Pack<T, kWide>;
  const T *a, *b;
  T* y;
  uint32_t period;  // of b, in packs
  __device__ void operator()(int64_t i) const {
    const P p = reinterpret_cast<const P*>(a)[i];
    const P q = reinterpret_cast<const P*>(b)[static_cast<uint32_t>(i) % period];
    P out;
#pragma unroll
    for (int j = 0; j < kWide; ++j)
      out.at[j] = narrow<T>(Both<kKind>::of(wide(p.at[j]), wide(q.at[j])));
    reinterpret_cast<P*>(y)[i] = out;
  }
};

struct Times {
  double factor;
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[1], S (&y)[1]) const {
    y[0] = x[0] * static_cast<S>(factor);
  }
};

template <Binary kKind, class T>
void both(OnCuda on, const BinaryArgs& a) {
  const Loops& l = a.loops;
  const T *p = static_cast<const T*>(a.a), *q = static_cast<const T*>(a.b);
  T* const y = static_cast<T*>(a.y);
  int64_t count = 1;
  for (int axis = 0; axis < l.rank; ++axis) count *= l.size[axis];
  if (l.rank == 1 && l.step[1][0] == 1 && l.step[2][0] == 1)
    return map(on, Arrays<T, 2, 1>{{p, q}, {y}}, count, Both<kKind>{});
  using Repeated = BothRepeated<kKind, T>;
  const auto even = [](const void* x) { return reinterpret_cast<uintptr_t>(x) % 16 == 0; };
  if (l.rank == 2 && l.step[1][0] == l.size[1] && l.step[1][1] == 1 && l.step[2][0] == 0 &&
      l.step[2][1] == 1 && l.size[1] % Repeated::kWide == 0 &&
      count / Repeated::kWide < INT32_MAX && even(p) && even(q) && even(y))
    return each(on, count / Repeated::kWide,
                Repeated{p, q, y, static_cast<uint32_t>(l.size[1] / Repeated::kWide)});
  each(on, count, BothAt<kKind, T>{l, p, q, y});
}

}  // namespace

void run(OnCuda on, const BinaryArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    switch (a.kind) {
      case Binary::add: return both<Binary::add, T>(on, a);
      case Binary::sub: return both<Binary::sub, T>(on, a);
      case Binary::mul: return both<Binary::mul, T>(on, a);
    }
  });
}

void run(OnCuda on, const ScaleArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    map(on, Arrays<T, 1, 1>{{static_cast<const T*>(a.x)}, {static_cast<T*>(a.y)}}, a.count,
        Times{a.factor});
  });
}

}  // namespace jogak::cuda
