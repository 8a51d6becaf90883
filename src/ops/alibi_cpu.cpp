#include "base/parallel.h"
#include "ops/alibi_kernel.h"
#include "tensor/dtype.h"

namespace jogak {
namespace {

float rounded(float x) { return static_cast<float>(BFloat16(x)); }

}  // namespace

void run(OnCpu, const AlibiArgs& a) {
  parallel_for(a.batches * a.heads, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float given = a.slopes[row % a.heads], slope = a.in_bf16 ? rounded(given) : given;
      const bool* const real = a.key_mask ? a.key_mask + row / a.heads * a.length : nullptr;
      float* const out = a.out + row * a.length;
      int64_t seen = 0;  // real keys so far
      for (int64_t t = 0; t < a.length; ++t) {
        const bool counts = !real || real[t];
        seen += counts;
        const auto place = static_cast<float>(counts ? seen - 1 : 0);
        const float line = a.in_bf16 ? rounded(slope * rounded(place)) : slope * place;
        out[t] = line / a.divisor;
      }
    }
  });
}

}  // namespace jogak
