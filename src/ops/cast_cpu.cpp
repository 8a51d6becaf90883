#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/cast_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/cast_kernel.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <class From, class To>
void CastRun(const From* x, To* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreAs(LoadAs(d, x + i), d, y + i);
  if (i < n) StoreTail(LoadTail(d, x + i, n - i), d, y + i, n - i);
}

}  // namespace

void CastFloats(DType from, DType to, const void* x, void* y, int64_t n) {
  for_float_type(from, [=]<class From>() {
    for_float_type(to, [=]<class To>() {
      if constexpr (sizeof(From) < 8 && sizeof(To) < 8)
        parallel_for(n, 1 << 15, [=](int64_t begin, int64_t end) {
          CastRun(static_cast<const From*>(x) + begin, static_cast<To*>(y) + begin, end - begin);
        });
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(CastFloats);

void run(OnCpu, const CastArgs& a) {
  HWY_DYNAMIC_DISPATCH(CastFloats)(a.from, a.to, a.x, a.y, a.count);
}

}  // namespace jogak
#endif
