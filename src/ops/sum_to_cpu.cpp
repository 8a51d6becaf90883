#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sum_to_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/simd-inl.h"
#include "ops/sum_to_kernel.h"

#ifndef JOGAK_OPS_SUM_TO_SIZES_  // once for all instruction sets
#define JOGAK_OPS_SUM_TO_SIZES_
namespace jogak {
inline constexpr int64_t kSumColumns = 128;  // columns one piece of work sums
inline constexpr int64_t kSumSegment = 1 << 13, kSumChunk = 1 << 16;  // elements
}  // namespace jogak
#endif

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// Where row `index` of these axes begins.
template <class T>
void Step(const SumAxes& axes, int64_t index, const T*& x, const T*& other) {
  for (int axis = axes.rank - 1; axis >= 0; --axis) {
    const int64_t at = index % axes.size[axis];
    index /= axes.size[axis];
    x += at * axes.x[axis];
    if (other) other += at * axes.other[axis];
  }
}

// sum[j] += x[j] * other[j], the inner axis being kept; `sum` has room for a whole last vector.
template <class T, class S>
void AddRow(const T* x, const T* other, int64_t other_step, S* sum, int64_t n) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto still = hn::Set(d, other && other_step == 0 ? convert<S>(*other) : S{1});
  const bool moves = other && other_step == 1;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto by = moves ? LoadAs(d, other + i) : still;
    hn::StoreU(hn::MulAdd(LoadAs(d, x + i), by, hn::LoadU(d, sum + i)), d, sum + i);
  }
  if (i < n) {
    const auto by = moves ? LoadTail(d, other + i, n - i) : still;
    hn::StoreU(hn::MulAdd(LoadTail(d, x + i, n - i), by, hn::LoadU(d, sum + i)), d, sum + i);
  }
}

template <class T>
hn::Vec<Tag<T>> RowSum(const T* x, const T* other, int64_t other_step, int64_t n) {
  if (other && other_step == 1)
    return Fold(x, other, n, [](auto, auto s, auto p, auto q) { return hn::MulAdd(p, q, s); });
  const auto sum = Fold(x, n, 0, 0, [](auto, auto s, auto p) { return hn::Add(s, p); });
  return other ? hn::Mul(sum, hn::Set(Tag<T>(), convert<SumType<T>>(*other))) : sum;
}

// The rows of one chunk for columns [col, col + n) of output row `out`.
template <class T>
void SumColumns(const SumPlan& p, const T* x, const T* other, int64_t chunk, int64_t col, int64_t n,
                SumType<T>* sum) {
  std::fill(sum, sum + kSumColumns + kMaxLanes, SumType<T>{0});
  const int64_t end = std::min(p.rows, (chunk + 1) * p.chunk);
  for (int64_t row = chunk * p.chunk; row < end; ++row) {
    const T *xr = x + col, *other_row = other ? other + col * p.inner_other : nullptr;
    Step(p.summed, row, xr, other_row);
    AddRow(xr, other_row, p.inner_other, sum, n);
  }
}

template <class T>
SumType<T> SumRows(const SumPlan& p, const T* x, const T* other, int64_t chunk) {
  const Tag<T> d;
  auto sum = hn::Zero(d);
  const int64_t end = std::min(p.rows, (chunk + 1) * p.chunk);
  for (int64_t row = chunk * p.chunk; row < end; ++row) {
    const int64_t from = row % p.segments * kSumSegment;
    const T *xr = x + from, *other_row = other ? other + from * p.inner_other : nullptr;
    Step(p.summed, row / p.segments, xr, other_row);
    const int64_t n = p.segments == 1 ? p.inner : std::min(kSumSegment, p.inner - from);
    sum = hn::Add(sum, RowSum(xr, other_row, p.inner_other, n));
  }
  return SumLanes(d, sum);
}

// One piece: a block of columns of one output row (or one output), over one chunk of rows.
template <class T, class Out>
void SumPiece(const SumPlan& p, int64_t piece, const T* x, const T* other, Out* out) {
  const int64_t blocks = p.inner_kept ? (p.inner + kSumColumns - 1) / kSumColumns : 1;
  const int64_t col = piece % blocks * kSumColumns, row = piece / blocks % p.kept.count;
  const int64_t chunk = piece / blocks / p.kept.count;
  Step(p.kept, row, x, other);
  out += chunk * p.outputs + row * (p.inner_kept ? p.inner : 1);
  if (!p.inner_kept) {
    *out = convert<Out>(SumRows(p, x, other, chunk));
    return;
  }
  SumType<T> sum[kSumColumns + kMaxLanes];
  const int64_t n = std::min(kSumColumns, p.inner - col);
  SumColumns(p, x, other, chunk, col, n, sum);
  for (int64_t i = 0; i < n; ++i) out[col + i] = convert<Out>(sum[i]);
}

template <class T>
void SumAll(const SumPlan& p, const T* x, const T* other, SumType<T>* partial, T* y) {
  const int64_t blocks = p.inner_kept ? (p.inner + kSumColumns - 1) / kSumColumns : 1;
  const int64_t width = p.inner_kept ? std::min(p.inner, kSumColumns) : p.inner;
  const int64_t grain = kSumChunk / 2 / (std::min(p.chunk, p.rows) * width + 1) + 1;
  parallel_for(p.kept.count * blocks * p.chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      p.chunks == 1 ? SumPiece(p, piece, x, other, y) : SumPiece(p, piece, x, other, partial);
  });
  if (p.chunks == 1) return;
  parallel_for(p.outputs, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t c = 1; c < p.chunks; ++c) {
      const SumType<T>* const next = partial + c * p.outputs;
      Map(partial + begin, next + begin, partial + begin, end - begin,
          [](auto, auto a, auto b) { return hn::Add(a, b); });
    }
    for (int64_t i = begin; i < end; ++i) y[i] = convert<T>(partial[i]);
  });
}

}  // namespace

void SumTo(DType dtype, const SumPlan& plan, const void* x, const void* other, void* partial,
           void* y) {
  for_float_type(dtype, [&]<class T>() {
    SumAll(plan, static_cast<const T*>(x), static_cast<const T*>(other),
           static_cast<SumType<T>*>(partial), static_cast<T*>(y));
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(SumTo);

SumPlan plan_sum(const Loops& loops) {
  SumPlan p;
  const int last = loops.rank - 1;
  p.inner = loops.size[last];
  p.inner_kept = loops.step[1][last] != 0;
  p.inner_other = loops.step[2][last];
  for (int axis = 0; axis < last; ++axis) {
    SumAxes& axes = loops.step[1][axis] != 0 ? p.kept : p.summed;
    axes.count *= loops.size[axis];
    axes.size[axes.rank] = loops.size[axis];
    axes.x[axes.rank] = loops.step[0][axis];
    axes.other[axes.rank++] = loops.step[2][axis];
  }
  const bool split = !p.inner_kept && p.inner > kSumSegment;
  if (split) p.segments = (p.inner + kSumSegment - 1) / kSumSegment;
  const int64_t width = p.inner_kept ? kSumColumns : std::min(p.inner, kSumSegment);
  p.rows = p.summed.count * p.segments;
  p.chunk = std::max<int64_t>(1, kSumChunk / std::max<int64_t>(width, 1));
  p.chunks = std::max<int64_t>(1, (p.rows + p.chunk - 1) / p.chunk);
  p.outputs = p.kept.count * (p.inner_kept ? p.inner : 1);
  return p;
}

void run(OnCpu, const SumToArgs& a) {
  HWY_DYNAMIC_DISPATCH(SumTo)(a.dtype, a.plan, a.x, a.other, a.partial, a.y);
}

}  // namespace jogak
#endif
