#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/grad_norm_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>

#include "base/parallel.h"
#include "ops/grad_norm_kernel.h"
#include "ops/kernels/pieces.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Lanes of double from any float type.
using Wide = hn::ScalableTag<double>;
HWY_INLINE hn::Vec<Wide> LoadWide(Wide d, const double* p) { return hn::LoadU(d, p); }
template <class T>
HWY_INLINE hn::Vec<Wide> LoadWide(Wide d, const T* p) {
  const hn::Rebind<float, Wide> narrow;
  return hn::PromoteTo(d, LoadAs(narrow, p));
}

template <class T>
double SquaredNorm(const T* x, int64_t n) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = a, c = a, e = a;
  int64_t i = 0;
  const auto add = [d](auto& sum, const T* p) {
    const auto v = LoadWide(d, p);
    sum = hn::MulAdd(v, v, sum);
  };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    add(a, x + i);
    add(b, x + i + lanes);
    add(c, x + i + 2 * lanes);
    add(e, x + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) add(a, x + i);
  double sum = SumLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e)));
  for (; i < n; ++i) {
    const double v = convert<double>(x[i]);
    sum += v * v;
  }
  return sum;
}

void NormPartials(const std::vector<NormPiece>& slices, double* partials) {
  parallel_for(static_cast<int64_t>(slices.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const NormPiece& slice = slices[static_cast<size_t>(i)];
      for_float_type(slice.dtype, [&]<class T>() {
        partials[i] = SquaredNorm(static_cast<const T*>(slice.values), slice.count);
      });
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(NormPartials);

static NormPiece part(const NormPiece& x, int64_t first, int64_t count) {
  return {x.dtype, cpu::element(x.values, x.dtype, first), count, x.tensor};
}

void run(OnCpu, const SquaredNormArgs& a) {
  const std::vector<NormPiece> slices = cpu::cut(a.tensors, kNormPiece, part);
  HWY_DYNAMIC_DISPATCH(NormPartials)(slices, a.partials);
  std::fill(a.each, a.each + a.tensors.size(), 0.0);
  for (size_t i = 0; i < slices.size(); ++i) a.each[slices[i].tensor] += a.partials[i];
  *a.total = 0;
  for (size_t t = 0; t < a.tensors.size(); ++t) *a.total += a.each[t];
}

}  // namespace jogak
#endif
