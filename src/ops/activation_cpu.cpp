#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/activation_kernel.h"
#include "ops/kernels/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kGrain = 1 << 13;

template <class T>
void ActivateAll(Activation kind, const T* x, T* y, int64_t n) {
  ForActivation(kind, [=](auto k) {
    parallel_for(n, kGrain, [=](int64_t begin, int64_t end) {
      Map(x + begin, y + begin, end - begin, [k](auto d, auto v) { return Act(d, v, k); });
    });
  });
}

template <class T>
void ActivateBackwardAll(Activation kind, const T* x, const T* dy, T* dx, int64_t n) {
  ForActivation(kind, [=](auto k) {
    parallel_for(n, kGrain, [=](int64_t begin, int64_t end) {
      Map(x + begin, dy + begin, dx + begin, end - begin,
          [k](auto d, auto v, auto g) { return hn::Mul(g, ActGrad(d, v, k)); });
    });
  });
}

}  // namespace

void Activate(DType dtype, Activation kind, const void* x, void* y, int64_t n) {
  for_float_type(dtype, [=]<class T>() {
    ActivateAll(kind, static_cast<const T*>(x), static_cast<T*>(y), n);
  });
}

void ActivateBackward(DType dtype, Activation kind, const void* x, const void* dy, void* dx,
                      int64_t n) {
  for_float_type(dtype, [=]<class T>() {
    ActivateBackwardAll(kind, static_cast<const T*>(x), static_cast<const T*>(dy),
                        static_cast<T*>(dx), n);
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Activate);
HWY_EXPORT(ActivateBackward);

void run(OnCpu, const ActivationArgs& a) {
  HWY_DYNAMIC_DISPATCH(Activate)(a.dtype, a.kind, a.x, a.y, a.count);
}

void run(OnCpu, const ActivationBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(ActivateBackward)(a.dtype, a.kind, a.x, a.dy, a.dx, a.count);
}

}  // namespace jogak
#endif
