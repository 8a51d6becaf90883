#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/adam_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/adam_kernel.h"
#include "ops/kernels/pieces.h"
#include "ops/kernels/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class T, class G>
void AdamOverSlice(const AdamArgs& a, const UpdateNumbers& n, const AdamPiece& slice) {
  const auto set = [](double value) { return SetAll<T>(static_cast<T>(value)); };
  T *const w = static_cast<T*>(slice.weight), *const m = static_cast<T*>(slice.m),
           *const v = static_cast<T*>(slice.v);
  const G* const grad = static_cast<const G*>(slice.grad);
  auto* const copy = static_cast<BFloat16*>(slice.copy);
  const auto scale = set(n.scale), keep = set(1 - n.rate * slice.shrink), pull = set(slice.pull);
  const auto beta1 = set(a.beta1), rest1 = set(1 - a.beta1);
  const auto beta2 = set(a.beta2), rest2 = set(1 - a.beta2);
  const auto rate = set(n.m_rate), root = set(n.v_root), eps = set(a.eps);
  Sweep<T>(slice.count, [=](auto at) {
    const auto weight = at.load(w);
    const auto g = hn::MulAdd(pull, weight, hn::Mul(at.load(grad), scale));
    const auto m1 = hn::MulAdd(beta1, at.load(m), hn::Mul(rest1, g));
    const auto v1 = hn::MulAdd(beta2, at.load(v), hn::Mul(rest2, hn::Mul(g, g)));
    const auto size = hn::MulAdd(hn::Sqrt(v1), root, eps);
    at.store(m1, m);
    at.store(v1, v);
    const auto moved = hn::Sub(hn::Mul(weight, keep), hn::Div(hn::Mul(rate, m1), size));
    at.store(moved, w);
    if constexpr (std::is_same_v<T, float>)
      if (copy) at.store(moved, copy);
  });
}

void Adam(const AdamArgs& a, const UpdateNumbers& n, const std::vector<AdamPiece>& slices) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const AdamPiece& slice = slices[static_cast<size_t>(i)];
      if (slice.dtype == DType::f64)
        AdamOverSlice<double, double>(a, n, slice);
      else if (slice.short_grad)
        AdamOverSlice<float, BFloat16>(a, n, slice);
      else
        AdamOverSlice<float, float>(a, n, slice);
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Adam);

static AdamPiece part(const AdamPiece& x, int64_t first, int64_t count) {
  const auto at = [&](auto* array) { return cpu::element(array, x.dtype, first); };
  AdamPiece out = x;
  out.weight = at(x.weight), out.m = at(x.m), out.v = at(x.v), out.count = count;
  out.grad = cpu::element(x.grad, x.short_grad ? DType::bf16 : x.dtype, first);
  out.copy = cpu::element(x.copy, DType::bf16, first);
  return out;
}

void run(OnCpu, const AdamArgs& a) {
  constexpr int64_t kSlice = 1 << 14;  // elements: four arrays of it stay in the L2 cache
  const UpdateNumbers& numbers = a.there ? *a.there : a.numbers;
  if (numbers.allowed == 0) return;
  HWY_DYNAMIC_DISPATCH(Adam)(a, numbers, cpu::cut(a.tensors, kSlice, part));
}

}  // namespace jogak
#endif
