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

// Where the weights of a block go when somebody wants to look at them.
template <class T>
T* WeightRows(const AttentionArgs& g, int64_t b, int64_t h, int64_t first) {
  return static_cast<T*>(g.weights) + ((b * g.heads + h) * g.queries + first) * g.keys;
}

// Their scores wait there, and become weights by the final maximum and sum, tile by tile.
template <class T>
void StoreWeights(const AttentionArgs& g, int64_t b, int64_t h, int64_t first, int64_t rows,
                  const PackedHead<T>& head, BlockScratch<T>& s) {
  const SeenTiles seen(g, first, rows);
  T* const line = WeightRows<T>(g, b, h, first);
  for (int64_t t = 0; t < head.tiles; ++t) {
    const int64_t from = t * kKeyTile, count = std::min(kKeyTile, g.keys - from);
    if (t < seen.begin || t >= seen.end) {
      for (int64_t r = 0; r < rows; ++r) std::fill_n(line + r * g.keys + from, count, T{0});
      continue;
    }
    const int64_t span = TileSpan<T>(count);
    for (int64_t r = 0; r < rows; ++r) {
      T* const row = s.scores + r * kKeyTile;
      const RowState<T>& state = s.rows[r];
      if (!(state.sum > 0)) {  // nothing is seen: -inf less -inf would be no number
        std::fill_n(line + r * g.keys + from, count, T{0});
        continue;
      }
      std::copy_n(line + r * g.keys + from, count, row);
      ExpRow(row, state.top, span);
      ScaleRow(row, T{1} / state.sum, span);
      std::copy_n(row, count, line + r * g.keys + from);
    }
  }
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
      if (g.weights) std::copy_n(row, count, WeightRows<T>(g, b, h, first) + r * g.keys + from);
      TakeTile(row, span, s.rows[r], sums + r * width, width);
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
          if (g.weights) StoreWeights(g, b, h, first, rows, head, s);
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
