// Backward of attention: the weights are made again, tile by tile, from the saved log-sums.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_backward_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/attention_kernel.h"
#include "ops/kernels/attention-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// The gradient of keys or of values: sums over queries of a weight of each key times a row of the
// query's. Where such rows fill one vector at most, keys are the lanes of the products instead, and
// the sums of a tile lie turned.
template <class T>
struct KeySums {
  T* sums;
  int64_t cols, width;  // width: padded

  bool turned() const { return width <= static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())); }

  // Adds weights^T x for the keys from .. from + count - 1.
  void add(const T* weights, const T* x, int64_t rows, int64_t from, int64_t count) const {
    T* const tile = sums + from * width;
    if (turned())
      TileBlock(TileArgs<T>{rows, x, 1, width, weights, kKeyTile, tile, kKeyTile, Into::go_on},
                cols, TileSpan<T>(count));
    else
      TileBlock(TileArgs<T>{rows, weights, 1, kKeyTile, x, width, tile, width, Into::go_on}, count,
                width);
  }

  // `scratch`: a tile of rows.
  template <class S>
  void store(int64_t keys, RowsOf<S> out, T* scratch) const {
    if (!turned()) return CopyRows(RowsOf<const T>{sums, width}, keys, cols, out);
    for (int64_t from = 0; from < keys; from += kKeyTile) {
      const int64_t count = std::min(kKeyTile, keys - from);
      Turn(RowsOf<const T>{sums + from * width, kKeyTile}, cols, count, RowsOf<T>{scratch, width});
      CopyRows(RowsOf<const T>{scratch, width}, count, cols,
               RowsOf<S>{out.data + from * out.step, out.step});
    }
  }
};

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

  template <class S>
  void load(int64_t b, int64_t kv) {
    CopyPadded(HeadRows<const S>(g.k, b, 0, kv), g.keys, g.width, width, keys);
    CopyPadded(HeadRows<const S>(g.v, b, 0, kv), g.keys, g.value_width, value_width, dv);
    for (int64_t first = 0; first < g.keys; first += kKeyTile) {
      const int64_t rows = std::min(kKeyTile, g.keys - first);
      TurnTile(RowsOf<const T>{keys + first * width, width}, rows, g.width,
               keys_transposed + first * g.width);
      TurnTile(RowsOf<const T>{dv + first * value_width, value_width}, rows, g.value_width,
               values_transposed + first * g.value_width);
    }
    std::fill(dk, dk + tiles * kKeyTile * width, T{0});
    std::fill(dv, dv + tiles * kKeyTile * value_width, T{0});
  }
  KeySums<T> dk_sums() const { return {dk, g.width, width}; }
  KeySums<T> dv_sums() const { return {dv, g.value_width, value_width}; }
};

// One block of queries: its rows, their gradients, and two tiles of weights and their slopes.
template <class T>
struct QueryBlock {
  T *q, *dq, *d_out, *out, *weights, *slopes, *dots;

  static size_t bytes(const AttentionBackwardArgs& g) {
    return sizeof(T) *
           static_cast<size_t>(kQueryTile * (2 * Padded<T>(g.width) + 2 * Padded<T>(g.value_width) +
                                             2 * kKeyTile + 1));
  }
  QueryBlock(const HeadState<T>& head, T* memory) {
    q = memory;
    dq = q + kQueryTile * head.width;
    d_out = dq + kQueryTile * head.width;
    out = d_out + kQueryTile * head.value_width;
    weights = out + kQueryTile * head.value_width;
    slopes = weights + kQueryTile * kKeyTile;
    dots = slopes + kQueryTile * kKeyTile;
  }

  template <class S>
  void load(const HeadState<T>& head, const QueryRows& at) {
    const AttentionBackwardArgs& g = head.g;
    const int64_t width = head.value_width;
    CopyPadded(HeadRows<const S>(g.q, at.b, at.first, at.h), at.rows, g.width, head.width, q);
    CopyPadded(HeadRows<const S>(g.d_out, at.b, at.first, at.h), at.rows, g.value_width, width,
               d_out);
    CopyPadded(HeadRows<const S>(g.out, at.b, at.first, at.h), at.rows, g.value_width, width, out);
    std::fill(dq, dq + at.rows * head.width, T{0});
    const auto add = [](auto, auto sum, auto a, auto x) { return hn::MulAdd(a, x, sum); };
    for (int64_t r = 0; r < at.rows; ++r)  // sum of weight * slope over a row = <d_out, out>
      dots[r] = SumLanes(Tag<T>(), Fold(out + r * width, d_out + r * width, width, add));
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

// slopes <- d loss / d score: how far a weight's slope is from the row's, times the weight.
template <class T>
HWY_INLINE void SlopeRow(const T* weights, T dot_all, T scale_all, T* slopes, int64_t span) {
  const hn::ScalableTag<T> d;
  const auto dot = hn::Set(d, dot_all), scale = hn::Set(d, scale_all);
  for (int64_t j = 0; j < span; j += hn::Lanes(d)) {
    const auto slope = hn::Mul(hn::Sub(hn::LoadU(d, slopes + j), dot), hn::LoadU(d, weights + j));
    hn::StoreU(hn::Mul(slope, scale), d, slopes + j);
  }
}

// weights <- softmax again; slopes <- d loss / d score. With dropout the weights leave here
// dropped, as the values saw them.
template <class T>
void WeightsAndSlopes(const HeadState<T>& head, QueryBlock<T>& block, const QueryRows& at,
                      int64_t from) {
  const AttentionBackwardArgs& g = head.g;
  const int64_t span = TileSpan<T>(std::min(kKeyTile, g.keys - from));
  const T* const lse =
      static_cast<const T*>(g.lse) + (at.b * g.heads + at.h) * g.queries + at.first;
  TileBlock(TileArgs<T>{g.width, block.q, head.width, 1, head.keys_transposed + from * g.width,
                        kKeyTile, block.weights, kKeyTile, Into::overwrite},
            at.rows, span);
  TileBlock(TileArgs<T>{g.value_width, block.d_out, head.value_width, 1,
                        head.values_transposed + from * g.value_width, kKeyTile, block.slopes,
                        kKeyTile, Into::overwrite},
            at.rows, span);
  MaskBlock(g, at, from, block.weights, [](int64_t, T) {});
  alignas(64) T capped[kKeyTile];
  for (int64_t r = 0; r < at.rows; ++r) {
    T *const w = block.weights + r * kKeyTile, *const s = block.slopes + r * kKeyTile;
    if (g.cap > 0) std::copy_n(w, span, capped);
    if (lse[r] == -std::numeric_limits<T>::infinity())
      std::fill(w, w + span, T{0});
    else
      ExpRow(w, lse[r], span);
    if (g.dropout > 0) DropRow(g, at.b, at.h, at.first + r, from, s);
    if (g.d_distances) AddDistances(g, at.b, at.h, at.first + r, from, w, s, block.dots[r]);
    SlopeRow(w, block.dots[r], static_cast<T>(g.scale), s, span);
    if (g.cap > 0) UncapRow(capped, static_cast<T>(g.cap), w, s, span);
    if (g.dropout > 0) DropRow(g, at.b, at.h, at.first + r, from, w);
  }
}

template <class S, class T>
void BackwardBlock(HeadState<T>& head, QueryBlock<T>& block, const QueryRows& at) {
  const AttentionBackwardArgs& g = head.g;
  block.template load<S>(head, at);
  const SeenTiles seen(g, at.first, at.rows);
  const KeySums<T> dk = head.dk_sums(), dv = head.dv_sums();
  for (int64_t t = seen.begin; t < seen.end; ++t) {
    const int64_t from = t * kKeyTile, count = std::min(kKeyTile, g.keys - from);
    WeightsAndSlopes(head, block, at, from);
    dv.add(block.weights, block.d_out, at.rows, from, count);  // dV += W^T dO
    dk.add(block.slopes, block.q, at.rows, from, count);       // dK += dS^T Q
    TileBlock(TileArgs<T>{count, block.slopes, kKeyTile, 1, head.keys + from * head.width,
                          head.width, block.dq, head.width, Into::go_on},
              at.rows, head.width);  // dQ += dS K
  }
  CopyRows(RowsOf<const T>{block.dq, head.width}, at.rows, g.width,
           HeadRows<S>(g.dq, at.b, at.first, at.h));
}

// S: what heads are stored as.
template <class S>
void BackwardAll(const AttentionBackwardArgs& g) {
  using T = SumType<S>;
  const int64_t group = g.heads / g.kv_heads;
  const cpu::ThreadWorkspace heads(HeadState<T>::bytes(g)), queries(QueryBlock<T>::bytes(g));
  parallel_for(g.batches * g.kv_heads, 1, [&](int64_t begin, int64_t end) {
    HeadState<T> head(g, heads.mine<T>());
    QueryBlock<T> block(head, queries.mine<T>());
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t b = unit / g.kv_heads, kv = unit % g.kv_heads;
      head.template load<S>(b, kv);
      for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (int64_t first = 0; first < g.queries; first += kQueryTile)
          BackwardBlock<S>(head, block, {b, h, first, std::min(kQueryTile, g.queries - first)});
      head.dk_sums().store(g.keys, HeadRows<S>(g.dk, b, 0, kv), block.q);
      head.dv_sums().store(g.keys, HeadRows<S>(g.dv, b, 0, kv), block.d_out);
    }
  });
}

}  // namespace

void AttentionBackward(const AttentionBackwardArgs& g) {
  for_float_type(g.dtype, [&]<class S>() { BackwardAll<S>(g); });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(AttentionBackward);

void run(OnCpu, const AttentionBackwardArgs& a) { HWY_DYNAMIC_DISPATCH(AttentionBackward)(a); }

}  // namespace jogak
#endif
