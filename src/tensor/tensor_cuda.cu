#include <vector>

#include "tensor/cuda.cuh"
#include "tensor/strided.h"
#include "tensor/tensor_kernel.h"

namespace jogak::cuda {
namespace {

template <class Body>
void for_any(DType dtype, Body&& body) {
  for_any_type(dtype, [&]<class T>() { body.template operator()<typename ElementOf<T>::type>(); });
}

template <class T>
constexpr bool kShort = std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, __half>;

// As jogak::convert: through float for the 16-bit types.
template <class To, class From>
__device__ __forceinline__ To converted(From x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (kShort<From>)
    return converted<To>(wide(x));
  else if constexpr (kShort<To>)
    return narrow<To>(static_cast<float>(x));
  else
    return static_cast<To>(x);
}

struct ArangeAt {
  int64_t* out;
  int64_t begin;
  __device__ void operator()(int64_t i) const { out[i] = begin + i; }
};

template <class T>
struct FillAt {
  T* out;
  double value;
  __device__ void operator()(int64_t i) const { out[i] = converted<T>(value); }
};

// Index: what places are counted in; divisions of 32 bits take a fraction of the time.
template <class To, class From, class Index>
struct CopyAt {
  To* to;
  const From* from;
  Layout2 l;
  __device__ void operator()(int64_t place) const {
    int64_t a = 0, b = 0;
    auto i = static_cast<Index>(place);
    for (int axis = l.rank - 1; axis >= 0; --axis) {
      const auto size = static_cast<Index>(l.size[axis]);
      const Index rest = i / size, at = i - rest * size;
      a += static_cast<int64_t>(at) * l.to[axis];
      b += static_cast<int64_t>(at) * l.from[axis];
      i = rest;
    }
    to[a] = converted<To>(from[b]);
  }
};

template <class To, class From>
void copy_strided(OnCuda on, void* to, const void* from, const Layout2& l, int64_t count) {
  const auto by = [&]<class Index>() {
    each(on, count,
         CopyAt<To, From, Index>{static_cast<To*>(to), static_cast<const From*>(from), l});
  };
  count <= INT32_MAX ? by.template operator()<uint32_t>() : by.template operator()<int64_t>();
}

// The same layout counted in pieces of `wide` elements; false where the innermost axis does not lie
// in such pieces on both sides.
bool in_pieces(Layout2& l, int64_t wide, const void* to, const void* from) {
  const int last = l.rank - 1;
  if (wide <= 1 || last < 0 || l.to[last] != 1 || l.from[last] != 1 || l.size[last] % wide != 0)
    return false;
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 16 != 0) return false;
  for (int axis = 0; axis < last; ++axis)
    if (l.to[axis] % wide != 0 || l.from[axis] % wide != 0) return false;
  for (int axis = 0; axis < last; ++axis) l.to[axis] /= wide, l.from[axis] /= wide;
  l.size[last] /= wide;
  return true;
}

template <class To, class From>
struct ConvertAt {
  To* to;
  const From* from;
  __device__ void operator()(int64_t i) const { to[i] = converted<To>(from[i]); }
};

// Eight neighbours at a time, where both sides lie for it.
template <class To, class From>
struct ConvertEight {
  To* to;
  const From* from;
  __device__ void operator()(int64_t i) const {
    const auto x = reinterpret_cast<const Pack<From, 8>*>(from)[i];
    Pack<To, 8> y;
#pragma unroll
    for (int k = 0; k < 8; ++k) y.at[k] = converted<To>(x.at[k]);
    reinterpret_cast<Pack<To, 8>*>(to)[i] = y;
  }
};

template <class To, class From>
void convert_row(OnCuda on, To* to, const From* from, int64_t count) {
  const bool even = reinterpret_cast<uintptr_t>(to) % alignof(Pack<To, 8>) == 0 &&
                    reinterpret_cast<uintptr_t>(from) % alignof(Pack<From, 8>) == 0;
  const int64_t eights = even ? count / 8 : 0, done = 8 * eights;
  if (eights > 0) each(on, eights, ConvertEight<To, From>{to, from});
  if (done < count) each(on, count - done, ConvertAt<To, From>{to + done, from + done});
}

struct AddTwo {
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[2], S (&y)[1]) const {
    y[0] = x[0] + x[1];
  }
};

struct TimesNumber {
  double factor;
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[1], S (&y)[1]) const {
    y[0] = x[0] * static_cast<S>(factor);
  }
};

struct AddOne {
  int64_t* number;
  __device__ void operator()(int64_t) const { ++*number; }
};

}  // namespace

void run(OnCuda on, const ArangeArgs& a) { each(on, a.count, ArangeAt{a.out, a.begin}); }

// On the host, so that a seed gives the same weights on every device.
void run(OnCuda on, const RandnArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    std::vector<T> values(static_cast<size_t>(a.count));
    run(OnCpu{}, RandnArgs{a.dtype, values.data(), a.count, a.rng});
    on.device.write(static_cast<std::byte*>(a.out), values.data(), values.size() * sizeof(T));
  });
}

void run(OnCuda on, const CopyArgs& a) {
  const Layout2 l = merge_axes(a.shape, a.to_strides, a.from_strides);
  const bool in_a_row = l.rank == 1 && l.to[0] == 1 && l.from[0] == 1;
  if (in_a_row && a.to_dtype == a.from_dtype)
    return check(cudaMemcpyAsync(a.to, a.from, static_cast<size_t>(l.size[0]) * size_of(a.to_dtype),
                                 cudaMemcpyDeviceToDevice, device_of(on).stream()),
                 "copy");
  const auto wide = static_cast<int64_t>(16 / size_of(a.to_dtype));
  if (Layout2 pieces = l; a.to_dtype == a.from_dtype && in_pieces(pieces, wide, a.to, a.from))
    return copy_strided<uint4, uint4>(on, a.to, a.from, pieces, a.shape.count() / wide);
  for_any(a.to_dtype, [&]<class To>() {
    for_any(a.from_dtype, [&]<class From>() {
      if (in_a_row)
        return convert_row(on, static_cast<To*>(a.to), static_cast<const From*>(a.from), l.size[0]);
      copy_strided<To, From>(on, a.to, a.from, l, a.shape.count());
    });
  });
}

void run(OnCuda on, const FillArgs& a) {
  for_any(a.dtype, [&]<class T>() {
    each(on, a.count, FillAt<T>{static_cast<T*>(a.out), a.value});
  });
}

void run(OnCuda on, const AccumulateArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    T* const sum = static_cast<T*>(a.sum);
    map(on, Arrays<T, 2, 1>{{sum, static_cast<const T*>(a.part)}, {sum}}, a.count, AddTwo{});
  });
}

void run(OnCuda on, const ScaleInPlaceArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    T* const x = static_cast<T*>(a.x);
    map(on, Arrays<T, 1, 1>{{x}, {x}}, a.count, TimesNumber{a.factor});
  });
}

void run(OnCuda on, const IncrementArgs& a) { each(on, 1, AddOne{a.number}); }

}  // namespace jogak::cuda
