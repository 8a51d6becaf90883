#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/dropout_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/dropout_kernel.h"
#include "ops/kernels/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

void DropAll(DType dtype, const DropRule& rule, const void* x, void* y, int64_t n, uint64_t first) {
  for_float_type(dtype, [&]<class T>() {
    const T* const in = static_cast<const T*>(x);
    T* const out = static_cast<T*>(y);
    parallel_for(n, 1 << 13, [=](int64_t begin, int64_t end) {
      Drop(rule, first + static_cast<uint64_t>(begin), in + begin, out + begin, end - begin);
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(DropAll);

void run(OnCpu, const DropoutArgs& a) {
  HWY_DYNAMIC_DISPATCH(DropAll)(a.dtype, a.rule, a.x, a.y, a.count, a.first);
}

}  // namespace jogak
#endif
