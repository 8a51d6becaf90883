#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sgd_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/kernels/pieces.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/sgd_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class T>
void SgdOverSlice(T rate, T momentum, T grad_scale, const SgdPiece& slice) {
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

void Sgd(double rate, double momentum, double grad_scale, const std::vector<SgdPiece>& slices) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const SgdPiece& slice = slices[static_cast<size_t>(i)];
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
namespace jogak {

HWY_EXPORT(Sgd);

static SgdPiece part(const SgdPiece& x, int64_t first, int64_t count) {
  const auto at = [&](auto* array) { return cpu::element(array, x.dtype, first); };
  return {x.dtype, at(x.weight), at(x.grad), at(x.momentum), count, x.decay};
}

void run(OnCpu, const SgdArgs& a) {
  constexpr int64_t kSlice = 1 << 14;  // elements
  const UpdateNumbers& numbers = a.there ? *a.there : a.numbers;
  if (numbers.allowed == 0) return;
  HWY_DYNAMIC_DISPATCH(Sgd)
  (numbers.rate, a.momentum, numbers.scale, cpu::cut(a.tensors, kSlice, part));
}

}  // namespace jogak
#endif
