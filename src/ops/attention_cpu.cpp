#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention_cpu.cpp"
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

// The keys and values of one batch and kv head, laid out for tiles: every tile of keys transposed,
// values padded. Made once, used by every block of queries.
template <class T>
struct PackedHead {
  int64_t tiles, value_width;
  T *keys, *values;

  static size_t bytes(const AttentionArgs& g) {
    const int64_t tokens = (g.keys + kKeyTile - 1) / kKeyTile * kKeyTile;
    return sizeof(T) * static_cast<size_t>(tokens * (g.width + Padded<T>(g.value_width)));
  }
  PackedHead(const AttentionArgs& g, int64_t b, int64_t kv, T* memory)
      : tiles((g.keys + kKeyTile - 1) / kKeyTile),
        value_width(Padded<T>(g.value_width)),
        keys(memory),
        values(memory + tiles * kKeyTile * g.width) {
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t first = t * kKeyTile, rows = std::min(kKeyTile, g.keys - first);
      CopyTransposed(At<T>(g.k, b, first, kv), g.k.time, rows, g.width, key_tile(t, g.width));
      CopyPadded(At<T>(g.v, b, first, kv), g.v.time, rows, g.value_width, value_width,
                 value_tile(t));
    }
  }
  T* key_tile(int64_t t, int64_t width) const { return keys + t * width * kKeyTile; }
  T* value_tile(int64_t t) const { return values + t * kKeyTile * value_width; }
};

// Scratch of one block of query rows.
template <class T>
struct BlockScratch {
  alignas(64) T scores[kQueryTile * kKeyTile];
  RowState<T> rows[kQueryTile];
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

template <class T>
void ForwardBlock(const AttentionArgs& g, int64_t b, int64_t h, int64_t first, int64_t rows,
                  const PackedHead<T>& head, BlockScratch<T>& s, T* sums) {
  const int64_t width = head.value_width;
  std::fill(sums, sums + rows * width, T{0});
  std::fill(s.rows, s.rows + rows, RowState<T>());
  const SeenTiles seen(g, first, rows);
  for (int64_t t = seen.begin; t < seen.end; ++t) {
    const int64_t from = t * kKeyTile, count = std::min(kKeyTile, g.keys - from);
    const int64_t span = TileSpan<T>(count);
    TileBlock(TileArgs<T>{g.width, At<T>(g.q, b, first, h), g.q.time, 1, head.key_tile(t, g.width),
                          kKeyTile, s.scores, kKeyTile, Into::overwrite},
              rows, span);
    MaskBlock(g, b, h, first, rows, from, s.scores);
    for (int64_t r = 0; r < rows; ++r) {
      T* const row = s.scores + r * kKeyTile;
      const T before = s.rows[r].top;
      TakeTile(row, span, s.rows[r], sums + r * width, width);
      if (g.weights)
        KeepTile(WeightRow<T>(g, b, h, first + r), seen, from, count, row, before, s.rows[r].top);
      if (g.dropout > 0) DropRow(g, b, h, first + r, from, row);
    }
    if (width == 0) continue;  // nobody asks for more than the weights
    TileBlock(TileArgs<T>{count, s.scores, kKeyTile, 1, head.value_tile(t), width, sums, width,
                          Into::go_on},
              rows, width);
  }
  for (int64_t r = 0; r < rows; ++r) {
    const RowState<T>& row = s.rows[r];
    const T scale = row.sum > 0 ? T{1} / row.sum : T{0};
    if (g.weights) FinishWeights(g, WeightRow<T>(g, b, h, first + r), seen, row.sum);
    T* const out = At<T>(g.out, b, first + r, h);
    ScaleRow(sums + r * width, scale, width);
    std::copy_n(sums + r * width, g.value_width, out);
    if (g.lse)
      static_cast<T*>(g.lse)[(b * g.heads + h) * g.queries + first + r] =
          row.sum > 0 ? row.top + std::log(row.sum) : row.top;
  }
}

template <class T>
void ForwardAll(const AttentionArgs& g) {
  const int64_t group = g.heads / g.kv_heads, blocks = (g.queries + kQueryTile - 1) / kQueryTile;
  const cpu::ThreadWorkspace scratch(sizeof(BlockScratch<T>)), heads(PackedHead<T>::bytes(g));
  const cpu::ThreadWorkspace sums(sizeof(T) *
                                  static_cast<size_t>(kQueryTile * Padded<T>(g.value_width)));
  parallel_for(g.batches * g.kv_heads, 1, [&](int64_t begin, int64_t end) {
    auto& s = *new (scratch.mine<std::byte>()) BlockScratch<T>;
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t b = unit / g.kv_heads, kv = unit % g.kv_heads;
      const PackedHead<T> head(g, b, kv, heads.mine<T>());
      for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (int64_t block = 0; block < blocks; ++block) {
          const int64_t first = block * kQueryTile, rows = std::min(kQueryTile, g.queries - first);
          ForwardBlock(g, b, h, first, rows, head, s, sums.mine<T>());
        }
    }
  });
}

}  // namespace

void Attention(const AttentionArgs& g) {
  g.dtype == DType::f64 ? ForwardAll<double>(g) : ForwardAll<float>(g);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Attention);

void run(OnCpu, const AttentionArgs& a) {
  if (!cpu::is_short(a.dtype)) return HWY_DYNAMIC_DISPATCH(Attention)(a);
  const cpu::WideHeads q(a.dtype, a.q, {a.batches, a.queries, a.heads, a.width});
  const cpu::WideHeads k(a.dtype, a.k, {a.batches, a.keys, a.kv_heads, a.width});
  const cpu::WideHeads v(a.dtype, a.v, {a.batches, a.keys, a.kv_heads, a.value_width});
  const cpu::WideHeads out(a.dtype, a.out, {a.batches, a.queries, a.heads, a.value_width});
  AttentionArgs wide = a;
  wide.dtype = DType::f32;
  wide.q = q.read(), wide.k = k.read(), wide.v = v.read(), wide.out = out.view();
  HWY_DYNAMIC_DISPATCH(Attention)(wide);
  out.write();
}

}  // namespace jogak
#endif
