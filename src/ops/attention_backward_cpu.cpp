// Backward of attention: the weights are made again, tile by tile, from the saved log-sums.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_backward_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/attention_kernel.h"
#include "ops/kernels/attention-inl.h"
#include "ops/kernels/attention_wide.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// Everything one batch and kv head needs: its keys and values in the layouts the products want,
// and the sums of their gradients over all queries.
template <class T>
struct HeadState {
  const AttentionBackwardArgs& g;
  int64_t tiles, width, value_width;  // widths padded to whole vectors
  T *keys, *keys_transposed, *values_transposed, *dk, *dv;

  static size_t bytes(const AttentionBackwardArgs& g) {
    const int64_t tokens = (g.keys + kKeyTile - 1) / kKeyTile * kKeyTile;
    return sizeof(T) *
           static_cast<size_t>(tokens * (2 * Padded<T>(g.width) + Padded<T>(g.value_width) +
                                         g.width + g.value_width));
  }
  HeadState(const AttentionBackwardArgs& args, T* memory)
      : g(args),
        tiles((g.keys + kKeyTile - 1) / kKeyTile),
        width(Padded<T>(g.width)),
        value_width(Padded<T>(g.value_width)) {
    const int64_t rows = tiles * kKeyTile;
    keys = memory;
    dk = keys + rows * width;
    dv = dk + rows * width;
    keys_transposed = dv + rows * value_width;
    values_transposed = keys_transposed + rows * g.width;
  }

  void load(int64_t b, int64_t kv) {
    CopyPadded(At<T>(g.k, b, 0, kv), g.k.time, g.keys, g.width, width, keys);
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t first = t * kKeyTile, rows = std::min(kKeyTile, g.keys - first);
      CopyTransposed(At<T>(g.k, b, first, kv), g.k.time, rows, g.width,
                     keys_transposed + first * g.width);
      CopyTransposed(At<T>(g.v, b, first, kv), g.v.time, rows, g.value_width,
                     values_transposed + first * g.value_width);
    }
    std::fill(dk, dk + g.keys * width, T{0});
    std::fill(dv, dv + g.keys * value_width, T{0});
  }

  void store(int64_t b, int64_t kv) const {
    for (int64_t j = 0; j < g.keys; ++j) {
      std::copy_n(dk + j * width, g.width, At<T>(g.dk, b, j, kv));
      std::copy_n(dv + j * value_width, g.value_width, At<T>(g.dv, b, j, kv));
    }
  }
};

// One block of queries: its rows, their gradients, and two tiles of weights and their slopes.
template <class T>
struct QueryBlock {
  T *q, *dq, *d_out, *weights, *slopes, *dots;

  static size_t bytes(const AttentionBackwardArgs& g) {
    return sizeof(T) *
           static_cast<size_t>(
               kQueryTile * (2 * Padded<T>(g.width) + Padded<T>(g.value_width) + 2 * kKeyTile + 1));
  }
  QueryBlock(const HeadState<T>& head, T* memory) {
    q = memory;
    dq = q + kQueryTile * head.width;
    d_out = dq + kQueryTile * head.width;
    weights = d_out + kQueryTile * head.value_width;
    slopes = weights + kQueryTile * kKeyTile;
    dots = slopes + kQueryTile * kKeyTile;
  }

  void load(const HeadState<T>& head, int64_t b, int64_t h, int64_t first, int64_t rows) {
    const AttentionBackwardArgs& g = head.g;
    CopyPadded(At<T>(g.q, b, first, h), g.q.time, rows, g.width, head.width, q);
    CopyPadded(At<T>(g.d_out, b, first, h), g.d_out.time, rows, g.value_width, head.value_width,
               d_out);
    std::fill(dq, dq + rows * head.width, T{0});
    for (int64_t r = 0; r < rows; ++r) {  // sum of weight * slope over a row = <d_out, out>
      const T* const out = At<T>(g.out, b, first + r, h);
      dots[r] = SumLanes(
          Tag<T>(), Fold(out, d_out + r * head.value_width, g.value_width,
                         [](auto, auto sum, auto a, auto x) { return hn::MulAdd(a, x, sum); }));
    }
  }
};

// slopes *= d capped / d score = 1 - (capped / cap)^2; keys that are not seen have no slope.
template <class T>
void UncapRow(const T* capped, T cap, const T* weights, T* slopes, int64_t span) {
  const hn::ScalableTag<T> d;
  for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
    const auto part = hn::Div(hn::LoadU(d, capped + j), hn::Set(d, cap));
    const auto slope = hn::NegMulAdd(part, part, hn::Set(d, T{1}));
    const auto unseen = hn::Eq(hn::LoadU(d, weights + j), hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(unseen, hn::Mul(slope, hn::LoadU(d, slopes + j))), d, slopes + j);
  }
}

// The gradient of one row's bias by distance: that of its scores, before they are scaled.
template <class T>
void AddDistances(const AttentionBackwardArgs& g, int64_t b, int64_t h, int64_t query, int64_t from,
                  const T* weights, const T* slopes, T dot) {
  const int64_t first = g.distances.zero + from - (query + g.keys - g.queries);
  T* const sums = static_cast<T*>(g.d_distances) + (b * g.heads + h) * g.distances.columns + first;
  const int64_t count = std::min(kKeyTile, g.keys - from);
  for (int64_t j = 0; j < count; ++j) sums[j] += (slopes[j] - dot) * weights[j];
}

// weights <- softmax again; slopes <- d loss / d score. With dropout the weights leave here
// dropped, as the values saw them.
template <class T>
void WeightsAndSlopes(const HeadState<T>& head, QueryBlock<T>& block, int64_t b, int64_t h,
                      int64_t first, int64_t rows, int64_t tile) {
  const AttentionBackwardArgs& g = head.g;
  const hn::ScalableTag<T> d;
  const int64_t from = tile * kKeyTile, span = TileSpan<T>(std::min(kKeyTile, g.keys - from));
  const T* const lse = static_cast<const T*>(g.lse) + (b * g.heads + h) * g.queries + first;
  TileBlock(TileArgs<T>{g.width, block.q, head.width, 1, head.keys_transposed + from * g.width,
                        kKeyTile, block.weights, kKeyTile, Into::overwrite},
            rows, span);
  TileBlock(TileArgs<T>{g.value_width, block.d_out, head.value_width, 1,
                        head.values_transposed + from * g.value_width, kKeyTile, block.slopes,
                        kKeyTile, Into::overwrite},
            rows, span);
  MaskBlock(g, b, h, first, rows, from, block.weights);
  alignas(64) T capped[kKeyTile];
  for (int64_t r = 0; r < rows; ++r) {
    T *const w = block.weights + r * kKeyTile, *const s = block.slopes + r * kKeyTile;
    if (g.cap > 0) std::copy_n(w, span, capped);
    if (lse[r] == -std::numeric_limits<T>::infinity())
      std::fill(w, w + span, T{0});
    else
      ExpRow(w, lse[r], span);
    if (g.dropout > 0) DropRow(g, b, h, first + r, from, s);
    if (g.d_distances) AddDistances(g, b, h, first + r, from, w, s, block.dots[r]);
    const auto dot = hn::Set(d, block.dots[r]), scale = hn::Set(d, static_cast<T>(g.scale));
    for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
      const auto slope = hn::Mul(hn::Sub(hn::LoadU(d, s + j), dot), hn::LoadU(d, w + j));
      hn::StoreU(hn::Mul(slope, scale), d, s + j);
    }
    if (g.cap > 0) UncapRow(capped, static_cast<T>(g.cap), w, s, span);
    if (g.dropout > 0) DropRow(g, b, h, first + r, from, w);
  }
}

template <class T>
void BackwardBlock(HeadState<T>& head, QueryBlock<T>& block, int64_t b, int64_t h, int64_t first,
                   int64_t rows) {
  const AttentionBackwardArgs& g = head.g;
  block.load(head, b, h, first, rows);
  const SeenTiles seen(g, first, rows);
  for (int64_t t = seen.begin; t < seen.end; ++t) {
    const int64_t from = t * kKeyTile, count = std::min(kKeyTile, g.keys - from);
    WeightsAndSlopes(head, block, b, h, first, rows, t);
    TileBlock(TileArgs<T>{rows, block.weights, 1, kKeyTile, block.d_out, head.value_width,
                          head.dv + from * head.value_width, head.value_width, Into::go_on},
              count, head.value_width);  // dV += W^T dO
    TileBlock(TileArgs<T>{rows, block.slopes, 1, kKeyTile, block.q, head.width,
                          head.dk + from * head.width, head.width, Into::go_on},
              count, head.width);  // dK += dS^T Q
    TileBlock(TileArgs<T>{count, block.slopes, kKeyTile, 1, head.keys + from * head.width,
                          head.width, block.dq, head.width, Into::go_on},
              rows, head.width);  // dQ += dS K
  }
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(block.dq + r * head.width, g.width, At<T>(g.dq, b, first + r, h));
}

template <class T>
void BackwardAll(const AttentionBackwardArgs& g) {
  const int64_t group = g.heads / g.kv_heads;
  const cpu::ThreadWorkspace heads(HeadState<T>::bytes(g)), queries(QueryBlock<T>::bytes(g));
  parallel_for(g.batches * g.kv_heads, 1, [&](int64_t begin, int64_t end) {
    HeadState<T> head(g, heads.mine<T>());
    QueryBlock<T> block(head, queries.mine<T>());
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t b = unit / g.kv_heads, kv = unit % g.kv_heads;
      head.load(b, kv);
      for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (int64_t first = 0; first < g.queries; first += kQueryTile)
          BackwardBlock(head, block, b, h, first, std::min(kQueryTile, g.queries - first));
      head.store(b, kv);
    }
  });
}

}  // namespace

void AttentionBackward(const AttentionBackwardArgs& g) {
  g.dtype == DType::f64 ? BackwardAll<double>(g) : BackwardAll<float>(g);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(AttentionBackward);

void run(OnCpu, const AttentionBackwardArgs& a) {
  if (!cpu::is_short(a.dtype)) return HWY_DYNAMIC_DISPATCH(AttentionBackward)(a);
  const Shape queries{a.batches, a.queries, a.heads, a.width};
  const Shape keys{a.batches, a.keys, a.kv_heads, a.width};
  const Shape values = keys.with(3, a.value_width), outs = queries.with(3, a.value_width);
  const cpu::WideHeads q(a.dtype, a.q, queries), k(a.dtype, a.k, keys), v(a.dtype, a.v, values);
  const cpu::WideHeads out(a.dtype, a.out, outs), d_out(a.dtype, a.d_out, outs);
  const cpu::WideHeads dq(a.dtype, a.dq, queries), dk(a.dtype, a.dk, keys),
      dv(a.dtype, a.dv, values);
  AttentionBackwardArgs wide = a;
  wide.dtype = DType::f32;
  wide.q = q.read(), wide.k = k.read(), wide.v = v.read();
  wide.out = out.read(), wide.d_out = d_out.read();
  wide.dq = dq.view(), wide.dk = dk.view(), wide.dv = dv.view();
  HWY_DYNAMIC_DISPATCH(AttentionBackward)(wide);
  for (const cpu::WideHeads* grad : {&dq, &dk, &dv}) grad->write();
}

}  // namespace jogak
#endif
