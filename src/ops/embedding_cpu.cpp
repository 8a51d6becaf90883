#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/embedding_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/embedding_kernel.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kColumns = 128;  // columns summed at a time

// dw[v, from .. from + n) for one id.
template <class T>
void SumPlaces(const EmbeddingBackwardArgs& g, int64_t v, int64_t from, int64_t n, const T* dy,
               T* dw) {
  using S = SumType<T>;
  const Tag<T> d;
  const int64_t begin = g.first[v], end = g.first[v + 1];
  T* const out = dw + v * g.cols + from;
  if (begin == end || v == g.constant) {
    if (!g.add) std::memset(static_cast<void*>(out), 0, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  S sum[kColumns + kMaxLanes] = {};
  for (int64_t p = begin; p < end; ++p) {
    const T* const row = dy + g.places[p] * g.cols + from;
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, sum + i), LoadAs(d, row + i)), d, sum + i);
    if (i < n) hn::StoreU(hn::Add(hn::LoadU(d, sum + i), LoadTail(d, row + i, n - i)), d, sum + i);
  }
  // A gradient of its own would be rounded to T before it is added to another.
  const auto joined = [&](auto part, auto before) {
    if (!g.add) return part;
    T rounded[kMaxLanes];
    StoreAs(part, d, rounded);
    return hn::Add(before, LoadAs(d, rounded));
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    StoreAs(joined(hn::LoadU(d, sum + i), LoadAs(d, out + i)), d, out + i);
  if (i < n)
    StoreTail(joined(hn::LoadU(d, sum + i), LoadTail(d, out + i, n - i)), d, out + i, n - i);
}

// Pieces are ranges of ids times, for a small vocabulary, blocks of columns.
template <class T>
void SumAllPlaces(const EmbeddingBackwardArgs& g, const T* dy, T* dw) {
  constexpr int64_t kIds = 64, kSmall = 2048;
  const int64_t ranges = (g.vocab + kIds - 1) / kIds;
  const int64_t width = g.vocab < kSmall ? kColumns : std::max<int64_t>(g.cols, 1);
  const int64_t blocks = (g.cols + width - 1) / width;
  parallel_for(ranges * blocks, 1, [&](int64_t piece, int64_t) {
    const int64_t left = piece % blocks * width, right = std::min(g.cols, left + width);
    const int64_t low = piece / blocks * kIds, high = std::min(g.vocab, low + kIds);
    for (int64_t v = low; v < high; ++v)
      for (int64_t c = left; c < right; c += kColumns)
        SumPlaces(g, v, c, std::min(kColumns, right - c), dy, dw);
  });
}

}  // namespace

void EmbeddingBackward(const EmbeddingBackwardArgs& g) {
  for_float_type(g.dtype, [&]<class T>() {
    SumAllPlaces(g, static_cast<const T*>(g.dy), static_cast<T*>(g.dw));
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(EmbeddingBackward);

void run(OnCpu, const EmbeddingArgs& a) {
  // Before the copies, which run at the same time: the first bad id is the one reported.
  for (int64_t i = 0; i < a.count; ++i)
    ensure(a.ids[i] >= 0 && a.ids[i] < a.vocab, "embedding: found id ", a.ids[i], " at place ", i,
           ", the table has ", a.vocab, " rows");
  const auto* const from = static_cast<const std::byte*>(a.weight);
  auto* const to = static_cast<std::byte*>(a.y);
  const auto grain = static_cast<int64_t>((size_t{1} << 16) / (a.row_bytes + 1) + 1);
  parallel_for(a.count, grain,
               [=, ids = a.ids, row_bytes = a.row_bytes](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   std::memcpy(to + static_cast<size_t>(i) * row_bytes,
                               from + static_cast<size_t>(ids[i]) * row_bytes, row_bytes);
               });
}

// Counting sort: the places of each id stay in order.
static void sort_places(const EmbeddingBackwardArgs& g) {
  std::fill(g.first, g.first + g.vocab + 1, 0);
  for (int64_t i = 0; i < g.n; ++i) ++g.first[g.ids[i] + 1];
  for (int64_t v = 0; v < g.vocab; ++v) g.first[v + 1] += g.first[v];
  for (int64_t i = 0; i < g.n; ++i) g.places[g.first[g.ids[i]]++] = i;
  // Each start has moved to its end, which is the next one's start: move back by one.
  for (int64_t v = g.vocab; v > 0; --v) g.first[v] = g.first[v - 1];
  g.first[0] = 0;
}

void run(OnCpu, const EmbeddingBackwardArgs& a) {
  sort_places(a);
  HWY_DYNAMIC_DISPATCH(EmbeddingBackward)(a);
}

}  // namespace jogak
#endif
