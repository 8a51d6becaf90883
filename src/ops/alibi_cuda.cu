#include "ops/alibi_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

__device__ __forceinline__ float rounded(float x) {
  return __bfloat162float(__float2bfloat16_rn(x));
}

// A row of places each: how many real keys stand before a key is known to who went past them.
struct AlibiRow {
  AlibiArgs a;
  __device__ void operator()(int64_t row) const {
    const float given = a.slopes[row % a.heads], slope = a.in_bf16 ? rounded(given) : given;
    const bool* const real = a.key_mask ? a.key_mask + row / a.heads * a.length : nullptr;
    float* const out = a.out + row * a.length;
    int64_t seen = 0;
    for (int64_t t = 0; t < a.length; ++t) {
      const bool counts = !real || real[t];
      seen += counts;
      const float place = static_cast<float>(counts ? seen - 1 : 0);
      const float line = a.in_bf16 ? rounded(slope * rounded(place)) : slope * place;
      out[t] = line / a.divisor;
    }
  }
};

}  // namespace

void run(OnCuda on, const AlibiArgs& a) { each(on, a.batches * a.heads, AlibiRow{a}); }

}  // namespace jogak::cuda
