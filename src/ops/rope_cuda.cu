#include "ops/rope_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A pair of elements each, then what stays as it is: the ends of heads, and what stands behind
// them.
template <class T>
struct RopeAt {
  RopeArgs a;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const int64_t half = a.width / 2, pairs = a.heads * half;
    const int64_t each_row = a.cols - pairs, row = i / each_row, at = i - row * each_row;
    const T* const x = static_cast<const T*>(a.x) + row * a.cols;
    T* const y = static_cast<T*>(a.y) + row * a.cols;
    if (at >= pairs) {
      const int64_t still = a.head - a.width, rest = at - pairs;  // still: of each head
      const int64_t place = rest < a.heads * still ? rest / still * a.head + a.width + rest % still
                                                   : rest + a.heads * a.width;
      y[place] = x[place];
      return;
    }
    const int64_t h = at / half, j = at - h * half, low = h * a.head + j;
    const S* const table = static_cast<const S*>(a.table) + row % a.table_rows * a.width;
    const S p = wide(x[low]), q = wide(x[low + half]);
    const S c = table[j], s = a.back ? -table[half + j] : table[half + j];
    y[low] = narrow<T>(p * c - q * s);
    y[low + half] = narrow<T>(q * c + p * s);
  }
};

struct RopeTableAt {
  RopeTableArgs a;
  __device__ void operator()(int64_t i) const {
    const int64_t row = i / a.half, j = i - row * a.half;
    const float f = a.frequencies[a.own_frequencies ? i : j];
    const double angle = static_cast<double>(static_cast<float>(a.positions[row]) * f);
    a.table[row * 2 * a.half + j] = static_cast<float>(cos(angle)) * a.factor;
    a.table[row * 2 * a.half + a.half + j] = static_cast<float>(sin(angle)) * a.factor;
  }
};

}  // namespace

void run(OnCuda on, const RopeArgs& a) {
  const int64_t pairs = a.heads * (a.width / 2);
  for_float(a.dtype, [&]<class T>() { each(on, a.rows * (a.cols - pairs), RopeAt<T>{a}); });
}

void run(OnCuda on, const RopeTableArgs& a) { each(on, a.rows * a.half, RopeTableAt{a}); }

}  // namespace jogak::cuda
