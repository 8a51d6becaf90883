// Nine to 32 rows times weights [n, k], read as they lie, as texts that are written together ask
// for: a block of weights is transposed once for sixteen rows, whose sums fit into registers of 512
// bits. Packing weights first, as for many rows, took twice as long. Sums run in order of k as in
// every other product.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_several_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/turn-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

using turn::D;
using turn::kLanes;
using turn::V;
constexpr int64_t kAhead = 256;  // floats that memory is asked for beforehand, in every row

// kRows rows, which lie side by side for each k so that one pointer finds them all, rows[k][kRows],
// times kLanes rows of weights from `output` on; at the edge some are the last.
template <int kRows>
void OutputsOfSeveral(const Gemm& g, const float* rows, int64_t row, int64_t output) {
  const D d;
  const auto* const w = static_cast<const float*>(g.b) + output * g.b_col;
  const int64_t last = std::min<int64_t>(kLanes, g.n - output) - 1;
  const int64_t next = (kLanes - 1) * g.b_col;
  const int64_t count = std::min<int64_t>(kRows, g.m - row);
  alignas(64) float turned[kLanes][kLanes];
  float* const c = static_cast<float*>(g.c) + row * g.c_row + output;
  for (int64_t k0 = 0; k0 < g.k; k0 += kGemmChunk) {
    const int64_t end = std::min(g.k, k0 + kGemmChunk);
    V sum[kRows];
    for (V& s : sum) s = hn::Zero(d);
    for (int64_t k = k0; k < end; k += kLanes) {
      const int64_t ahead = k + kAhead < g.k ? k + kAhead : k + kAhead + next;
      const int64_t there = std::min<int64_t>(kLanes, end - k);
      V v[kLanes];
      const auto line = [&](int r) {
        const float* const start = w + std::min<int64_t>(r, last) * g.b_col;
        __builtin_prefetch(start + ahead, 0, 2);
        return start + k;
      };
      turn::LoadTurned(line, there, v);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) hn::Store(v[i], d, turned[i]);
      for (int64_t i = 0; i < there; ++i) {
        const V column = hn::Load(d, turned[i]);
        const float* const all = rows + (k + i) * kRows;
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) sum[r] = hn::MulAdd(hn::Set(d, all[r]), column, sum[r]);
      }
    }
    const bool add = g.accumulate || k0 > 0;
    alignas(64) float out[kRows][kLanes];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) hn::Store(sum[r], d, out[r]);
    for (int64_t r = 0; r < count; ++r)
      for (int64_t i = 0; i <= last; ++i)
        c[r * g.c_row + i] = add ? c[r * g.c_row + i] + out[r][i] : out[r][i];
  }
}

// rows[k][kLanes] of the rows from `row` on; where there are none, of the last.
inline void TurnRows(const Gemm& g, int64_t row, float* rows) {
  const D d;
  const auto* const a = static_cast<const float*>(g.a);
  for (int64_t k = 0; k < g.k; k += kLanes) {
    const int64_t there = std::min<int64_t>(kLanes, g.k - k);
    V v[kLanes];
    const auto line = [&](int r) { return a + std::min<int64_t>(row + r, g.m - 1) * g.a_row + k; };
    turn::LoadTurned(line, there, v);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) hn::StoreU(v[i], d, rows + (k + i) * kLanes);
  }
}

}  // namespace

int64_t MostRows() { return kLanes == 16 ? 32 : 0; }

void GemmSeveral(const Gemm& g) {
  const int64_t blocks = (g.n + kLanes - 1) / kLanes, groups = (g.m + kLanes - 1) / kLanes;
  const int64_t group = (g.k + kLanes) * kLanes;
  const cpu::Workspace turned(sizeof(float) * static_cast<size_t>(groups * group));
  auto* const rows = turned.as<float>();
  parallel_for(groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) TurnRows(g, i * kLanes, rows + i * group);
  });
  // Long runs for each thread, which memory gives faster, and a few of them.
  parallel_for(blocks, std::max<int64_t>(1, blocks / (4 * thread_count())),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin * kLanes; o < end * kLanes; o += kLanes)
                   for (int64_t i = 0; i < groups; ++i)
                     OutputsOfSeveral<kLanes>(g, rows + i * group, i * kLanes, o);
               });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmSeveral);
HWY_EXPORT(MostRows);

int64_t most_several() { return HWY_DYNAMIC_DISPATCH(MostRows)(); }
void gemm_several(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmSeveral)(g); }

}  // namespace jogak::cpu
#endif
