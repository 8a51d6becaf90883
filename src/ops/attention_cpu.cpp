#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_cpu.cpp"
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

// What a thread needs. The keys and values of one batch and kv head are laid out for tiles once,
// for every block of queries: each tile of keys transposed, values padded. Of a block of queries
// there are its rows, a tile of scores and the sums of its results.
template <class T>
struct Scratch {
  int64_t width, value_width;  // padded
  T *keys, *values, *q, *sums, *scores, *tops;
  RowState<T>* states;

  static size_t bytes(const AttentionArgs& g) {
    const int64_t tokens = (g.keys + kKeyTile - 1) / kKeyTile * kKeyTile;
    const int64_t rows = g.width + Padded<T>(g.value_width);  // of keys and values
    const int64_t block = Padded<T>(g.width) + Padded<T>(g.value_width) + kKeyTile + 1;
    return sizeof(T) * static_cast<size_t>(tokens * rows + kQueryTile * block) +
           sizeof(RowState<T>) * static_cast<size_t>(kQueryTile);
  }
  Scratch(const AttentionArgs& g, T* memory)
      : width(Padded<T>(g.width)), value_width(Padded<T>(g.value_width)) {
    const int64_t tokens = (g.keys + kKeyTile - 1) / kKeyTile * kKeyTile;
    scores = memory;
    q = scores + kQueryTile * kKeyTile;
    sums = q + kQueryTile * width;
    keys = sums + kQueryTile * value_width;
    values = keys + tokens * g.width;
    tops = values + tokens * value_width;
    states = reinterpret_cast<RowState<T>*>(tops + kQueryTile);
  }

  template <class S>
  void load_head(const AttentionArgs& g, int64_t b, int64_t kv) {
    for (int64_t first = 0; first < g.keys; first += kKeyTile) {
      const int64_t rows = std::min(kKeyTile, g.keys - first);
      CopyPadded(HeadRows<const S>(g.k, b, first, kv), rows, g.width, width, q);
      TurnTile(RowsOf<const T>{q, width}, rows, g.width, keys + first * g.width);
      CopyPadded(HeadRows<const S>(g.v, b, first, kv), rows, g.value_width, value_width,
                 values + first * value_width);
    }
  }
};

// Where the weights of a row go when somebody wants to look at them.
template <class T>
T* WeightRow(const AttentionArgs& g, int64_t b, int64_t h, int64_t query) {
  return static_cast<T*>(g.weights) + ((b * g.heads + h) * g.queries + query) * g.keys;
}

template <class T>
void ScaleKeys(T* row, int64_t begin, int64_t end, T by) {
  for (int64_t k = begin; k < end; ++k) row[k] *= by;
}

// One tile of exponentials goes there as it was summed; what came before it fades as the sum does.
template <class T>
void KeepTile(T* line, const SeenTiles& seen, int64_t from, int64_t count, const T* tile, T before,
              T top) {
  if (top != before) ScaleKeys(line, seen.begin * kKeyTile, from, std::exp(before - top));
  std::copy_n(tile, count, line + from);
}

// At the end they are divided by the sum; 0 where nothing is seen.
template <class T>
void FinishWeights(const AttentionArgs& g, T* line, const SeenTiles& seen, T sum) {
  const bool any = sum > 0;
  const int64_t begin = any ? std::min(seen.begin * kKeyTile, g.keys) : g.keys;
  const int64_t end = any ? std::min(seen.end * kKeyTile, g.keys) : g.keys;
  std::fill(line, line + begin, T{0});
  ScaleKeys(line, begin, end, T{1} / sum);
  std::fill(line + end, line + g.keys, T{0});
}

// One tile of keys: its scores become weights, and weigh its values.
template <class T>
void ForwardTile(const AttentionArgs& g, const QueryRows& at, const SeenTiles& seen, int64_t from,
                 Scratch<T>& s) {
  const int64_t count = std::min(kKeyTile, g.keys - from), span = TileSpan<T>(count);
  TileBlock(TileArgs<T>{g.width, s.q, s.width, 1, s.keys + from * g.width, kKeyTile, s.scores,
                        kKeyTile, Into::overwrite},
            at.rows, span);
  MaskBlock(g, at, from, s.scores, [&](int64_t r, T top) { s.tops[r] = top; });
  for (int64_t r = 0; r < at.rows; ++r) {
    T* const row = s.scores + r * kKeyTile;
    const T before = s.states[r].top;
    TakeTile(row, span, s.tops[r], s.states[r], s.sums + r * s.value_width, s.value_width);
    if (g.weights)
      KeepTile(WeightRow<T>(g, at.b, at.h, at.first + r), seen, from, count, row, before,
               s.states[r].top);
    if (g.dropout > 0) DropRow(g, at.b, at.h, at.first + r, from, row);
  }
  TileBlock(TileArgs<T>{count, s.scores, kKeyTile, 1, s.values + from * s.value_width,
                        s.value_width, s.sums, s.value_width, Into::go_on},
            at.rows, s.value_width);
}

template <class S, class T>
void ForwardBlock(const AttentionArgs& g, const QueryRows& at, Scratch<T>& s) {
  const int64_t width = s.value_width;
  CopyPadded(HeadRows<const S>(g.q, at.b, at.first, at.h), at.rows, g.width, s.width, s.q);
  std::fill(s.sums, s.sums + at.rows * width, T{0});
  std::fill(s.states, s.states + at.rows, RowState<T>());
  const SeenTiles seen(g, at.first, at.rows);
  for (int64_t t = seen.begin; t < seen.end; ++t) ForwardTile(g, at, seen, t * kKeyTile, s);
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowState<T>& row = s.states[r];
    if (g.weights) FinishWeights(g, WeightRow<T>(g, at.b, at.h, at.first + r), seen, row.sum);
    ScaleRow(s.sums + r * width, row.sum > 0 ? T{1} / row.sum : T{0}, width);
    if (g.lse)
      static_cast<T*>(g.lse)[(at.b * g.heads + at.h) * g.queries + at.first + r] =
          row.sum > 0 ? row.top + std::log(row.sum) : row.top;
  }
  CopyRows(RowsOf<const T>{s.sums, width}, at.rows, g.value_width,
           HeadRows<S>(g.out, at.b, at.first, at.h));
}

// S: what heads are stored as.
template <class S>
void ForwardAll(const AttentionArgs& g) {
  using T = SumType<S>;
  const int64_t group = g.heads / g.kv_heads;
  const cpu::ThreadWorkspace scratch(Scratch<T>::bytes(g));
  parallel_for(g.batches * g.kv_heads, 1, [&](int64_t begin, int64_t end) {
    Scratch<T> s(g, scratch.mine<T>());
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t b = unit / g.kv_heads, kv = unit % g.kv_heads;
      s.template load_head<S>(g, b, kv);
      for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (int64_t first = 0; first < g.queries; first += kQueryTile)
          ForwardBlock<S>(g, {b, h, first, std::min(kQueryTile, g.queries - first)}, s);
    }
  });
}

}  // namespace

void Attention(const AttentionArgs& g) {
  for_float_type(g.dtype, [&]<class S>() { ForwardAll<S>(g); });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Attention);

void run(OnCpu, const AttentionArgs& a) { HWY_DYNAMIC_DISPATCH(Attention)(a); }

}  // namespace jogak
#endif
