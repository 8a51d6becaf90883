#include "base/normal_fill.h"
#include "base/parallel.h"
#include "tensor/strided.h"
#include "tensor/tensor_kernel.h"

namespace jogak {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements a piece; the cut depends on the size alone

}  // namespace

void run(OnCpu, const ArangeArgs& a) {
  for (int64_t i = 0; i < a.count; ++i) a.out[i] = a.begin + i;
}

void run(OnCpu, const RandnArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.count, kGrain / 4, [&](int64_t begin, int64_t end) {
      constexpr uint64_t kWords = 4;  // that one normal number takes
      Rng part = a.rng;
      part.seek(a.rng.position() + static_cast<uint64_t>(begin) * kWords);
      if constexpr (std::is_same_v<T, float>)
        return fill_normal(part,
                           {static_cast<T*>(a.out) + begin, static_cast<size_t>(end - begin)});
      for (int64_t i = begin; i < end; ++i) static_cast<T*>(a.out)[i] = convert<T>(part.normal());
    });
  });
}

void run(OnCpu, const CopyArgs& a) {
  for_any_type(a.to_dtype, [&]<class To>() {
    for_any_type(a.from_dtype, [&]<class From>() {
      copy_strided(static_cast<To*>(a.to), a.to_strides, static_cast<const From*>(a.from),
                   a.from_strides, a.shape);
    });
  });
}

void run(OnCpu, const FillArgs& a) {
  for_any_type(a.dtype, [&]<class T>() {
    parallel_for(a.count, kGrain,
                 [out = static_cast<T*>(a.out), v = convert<T>(a.value)](
                     int64_t begin, int64_t end) { std::fill(out + begin, out + end, v); });
  });
}

void run(OnCpu, const AccumulateArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    T* const out = static_cast<T*>(a.sum);
    const T* const in = static_cast<const T*>(a.part);
    parallel_for(a.count, kGrain, [=](int64_t begin, int64_t end) {
      using S = SumType<T>;
      for (int64_t i = begin; i < end; ++i)
        out[i] = convert<T>(convert<S>(out[i]) + convert<S>(in[i]));
    });
  });
}

void run(OnCpu, const ScaleInPlaceArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    T* const out = static_cast<T*>(a.x);
    parallel_for(a.count, kGrain, [out, factor = a.factor](int64_t begin, int64_t end) {
      using S = SumType<T>;
      for (int64_t i = begin; i < end; ++i)
        out[i] = convert<T>(convert<S>(out[i]) * static_cast<S>(factor));
    });
  });
}

void run(OnCpu, const IncrementArgs& a) { ++*a.number; }

}  // namespace jogak
