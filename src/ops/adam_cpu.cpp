#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/adam_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/adam_kernel.h"
#include "ops/kernels/pieces.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/kernels/workspace.h"
#include "tensor/tensor_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class T>
void AdamOverSlice(const AdamNumbers& numbers, const AdamPiece& slice) {
  const auto set = [](double value) { return SetAll<T>(static_cast<T>(value)); };
  T *const w = static_cast<T*>(slice.weight), *const m = static_cast<T*>(slice.m),
           *const v = static_cast<T*>(slice.v);
  const T* const grad = static_cast<const T*>(slice.grad);
  const auto scale = set(numbers.grad_scale), keep = set(slice.keep), pull = set(slice.pull);
  const auto beta1 = set(numbers.beta1), rest1 = set(numbers.rest1);
  const auto beta2 = set(numbers.beta2), rest2 = set(numbers.rest2);
  const auto rate = set(numbers.rate), root = set(numbers.root), eps = set(numbers.eps);
  Sweep<T>(slice.count, [=](auto at) {
    const auto weight = at.load(w);
    const auto g = hn::MulAdd(pull, weight, hn::Mul(at.load(grad), scale));
    const auto m1 = hn::MulAdd(beta1, at.load(m), hn::Mul(rest1, g));
    const auto v1 = hn::MulAdd(beta2, at.load(v), hn::Mul(rest2, hn::Mul(g, g)));
    const auto size = hn::MulAdd(hn::Sqrt(v1), root, eps);
    at.store(m1, m);
    at.store(v1, v);
    at.store(hn::Sub(hn::Mul(weight, keep), hn::Div(hn::Mul(rate, m1), size)), w);
  });
}

void Adam(const AdamNumbers& numbers, const std::vector<AdamPiece>& slices) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const AdamPiece& slice = slices[static_cast<size_t>(i)];
      if (slice.dtype == DType::f64)
        AdamOverSlice<double>(numbers, slice);
      else
        AdamOverSlice<float>(numbers, slice);
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
  return {x.dtype, at(x.weight), at(x.grad), at(x.m), at(x.v),
          count,   x.keep,       x.pull,     false,   nullptr};
}

// Gradients in bf16 are widened before, and copies rounded after.
void run(OnCpu on, const AdamArgs& a) {
  constexpr int64_t kSlice = 1 << 14;  // elements: four arrays of it stay in the L2 cache
  std::vector<AdamPiece> tensors = a.tensors;
  std::vector<std::unique_ptr<cpu::Workspace>> wide;
  const auto convert = [&](const AdamPiece& p, DType to, void* out, DType from, const void* in) {
    run(on, CopyArgs{to, from, out, in, Shape{p.count}, Strides{1}, Strides{1}});
  };
  for (AdamPiece& p : tensors) {
    if (!p.short_grad || p.count == 0) continue;
    wide.push_back(std::make_unique<cpu::Workspace>(sizeof(float) * static_cast<size_t>(p.count)));
    convert(p, DType::f32, wide.back()->as<void>(), DType::bf16, p.grad);
    p.grad = wide.back()->as<void>();
  }
  HWY_DYNAMIC_DISPATCH(Adam)(a.numbers, cpu::cut(tensors, kSlice, part));
  for (const AdamPiece& p : tensors)
    if (p.copy && p.count > 0) convert(p, DType::bf16, p.copy, DType::f32, p.weight);
}

}  // namespace jogak
#endif
