// A few rows times weights [n, k], read as they lie: blocks of them are transposed in registers, so
// that sums run in order of k as in every other product.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_thin_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

using turn::D;
using turn::kLanes;
using turn::V;
constexpr int64_t kAhead = 256;  // floats that memory is asked for beforehand, in every row

// kRows rows of A times kLanes rows of weights from `output` on; at the edge some are the last.
template <int kRows>
void Outputs(const Gemm& g, int64_t row, int64_t output) {
  const D d;
  const auto* const a = static_cast<const float*>(g.a) + row * g.a_row;
  const auto* const w = static_cast<const float*>(g.b) + output * g.b_col;
  const int64_t last = std::min<int64_t>(kLanes, g.n - output) - 1;
  const int64_t next = (kLanes - 1) * g.b_col;  // from a row's end to the block behind this one
  alignas(64) float out[kRows][kLanes];
  float* const c = static_cast<float*>(g.c) + row * g.c_row + output;
  for (int64_t k0 = 0; k0 < g.k; k0 += kGemmChunk) {
    const int64_t end = std::min(g.k, k0 + kGemmChunk);
    V sum[kRows];
    for (V& s : sum) s = hn::Zero(d);
    const auto step = [&](const V(&v)[kLanes], int64_t k, int64_t count) {
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        if (i >= count) break;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
          sum[r] = hn::MulAdd(hn::Set(d, a[r * g.a_row + k + i]), v[i], sum[r]);
      }
    };
    int64_t k = k0;
    for (; k + kLanes <= end; k += kLanes) {
      const int64_t ahead = k + kAhead < g.k ? k + kAhead : k + kAhead + next;
      V v[kLanes];
#pragma GCC unroll 16
      for (int r = 0; r < kLanes; ++r) {
        const float* const line = w + std::min<int64_t>(r, last) * g.b_col;
        __builtin_prefetch(line + ahead, 0, 2);
        v[r] = hn::LoadU(d, line + k);
      }
      turn::Transpose(v);
      step(v, k, kLanes);
    }
    if (k < end) {
      V v[kLanes];
      for (int r = 0; r < kLanes; ++r)
        v[r] =
            LoadTail(d, w + std::min<int64_t>(r, last) * g.b_col + k, static_cast<size_t>(end - k));
      turn::Transpose(v);
      step(v, k, end - k);
    }
    const bool add = g.accumulate || k0 > 0;
    for (int r = 0; r < kRows; ++r) {
      hn::Store(sum[r], d, out[r]);
      for (int64_t i = 0; i <= last; ++i)
        c[r * g.c_row + i] = add ? c[r * g.c_row + i] + out[r][i] : out[r][i];
    }
  }
}

}  // namespace

void GemmThin(const Gemm& g) {
  const int64_t blocks = (g.n + kLanes - 1) / kLanes;
  // Long runs for each thread, which memory gives faster, and a few of them.
  parallel_for(blocks, std::max<int64_t>(1, blocks / (4 * thread_count())),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin * kLanes; o < end * kLanes; o += kLanes) {
                   int64_t row = 0;
                   for (; row + 8 <= g.m; row += 8) Outputs<8>(g, row, o);
                   for (; row + 4 <= g.m; row += 4) Outputs<4>(g, row, o);
                   for (; row + 2 <= g.m; row += 2) Outputs<2>(g, row, o);
                   if (row < g.m) Outputs<1>(g, row, o);
                 }
               });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmThin);

void gemm_thin(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmThin)(g); }

}  // namespace jogak::cpu
#endif
