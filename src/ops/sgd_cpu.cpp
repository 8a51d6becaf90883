#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sgd_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/sgd_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class T>
void SgdOverSlice(T rate, T momentum, T grad_scale, const cpu::SgdSlice& slice) {
  T *const w = static_cast<T*>(slice.weight), *const memory = static_cast<T*>(slice.momentum);
  const T* const grad = static_cast<const T*>(slice.grad);
  const auto step = SetAll<T>(rate), share = SetAll<T>(momentum), scale = SetAll<T>(grad_scale);
  const auto decay = SetAll<T>(static_cast<T>(slice.decay));
  Sweep<T>(slice.count, [=](auto at) {
    const auto weight = at.load(w);
    auto g = hn::MulAdd(decay, weight, hn::Mul(at.load(grad), scale));
    if (memory) {
      g = hn::MulAdd(share, at.load(memory), g);
      at.store(g, memory);
    }
    at.store(hn::Sub(weight, hn::Mul(step, g)), w);
  });
}

void Sgd(double rate, double momentum, double grad_scale, std::span<const cpu::SgdSlice> slices) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const cpu::SgdSlice& slice = slices[static_cast<size_t>(i)];
      if (slice.dtype == DType::f64)
        SgdOverSlice<double>(rate, momentum, grad_scale, slice);
      else
        SgdOverSlice<float>(static_cast<float>(rate), static_cast<float>(momentum),
                            static_cast<float>(grad_scale), slice);
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(Sgd);

void sgd(double rate, double momentum, double grad_scale, std::span<const SgdSlice> slices) {
  HWY_DYNAMIC_DISPATCH(Sgd)(rate, momentum, grad_scale, slices);
}

}  // namespace jogak::cpu
#endif
